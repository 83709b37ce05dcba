"""Makes the files of a new format, which its author then fills in."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.files import write_whole
from changelake.dev.draft import fill, parser, sample_messages, unit_tests
from changelake.dev.message_shape import Code, MessageShape

# What the draft is made of where nobody has messages yet.
_EXAMPLE = (
    '{"op": "", "database": "d", "table": "t", "time": 0, "sql": "", "before": {}, "after": {}}',
)

_MACRO_YML = """\
version: 2

macros:
  - name: parse_<format>
    description: |
      The messages of <format> as rows of the contract: TODO, what a message holds, in a sentence.
      See docs/formats/<format>.md.

      Returns: a select of the contract's columns and the outcome's, one row per event.
    arguments:
      - name: messages
        type: string
        description: a relation or CTE with bronze's columns.
      - name: operations
        type: string
        description: the relation of the seed operation_codes.
"""

_MODEL = """\
{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('<format>_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', '<format>'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_<format>('messages', ref('operation_codes')) }})
"""

_MODEL_ENTRY = """
  - name: <format>_events
    description: TODO, whose messages; one row per event; rejects, tombstones and control messages one row each.
    config:
      meta:
        # a case that the dialect cannot have, with its reason: then it needs no unit test
        unit_test_exceptions: {}
    columns: *columns"""  # noqa: E501

_DOCS = """\
# <format>: TODO, whose messages these are

TODO: what one message holds, and what the Kafka key is.

| contract | from |
|---|---|
| `event_type`, `operation` | |
| `source_name`, `source_type` | |
| `database_name`, `schema_name`, `table_name` | |
| `key_columns` | |
| `before`, `after` | |
| `column_types` | |
| `committed_at`, `captured_at` | |
| `source_position`, `transaction_id` | |
| `ddl` | |

Values: TODO, how the dialect writes numbers, times, bytes and null.

Not kept: TODO.

Lost: TODO, what the producer does not write.

Rejects: TODO.

Tolerated: TODO.
"""

_CONTRACT_MESSAGE = '''\
def <format>(change: str, before: Any, after: Any) -> list[Message]:
    """TODO, whose message."""
    raise NotImplementedError("TODO: the message of each kind of change")


'''

_BENCH_MESSAGE = '''\
def <format>() -> str:
    """Return the SQL of TODO, whose message."""
    raise NotImplementedError("TODO: the SQL of a message of 1.2 KB")


'''

_WRITERS = r"WRITERS: .*\n(?:    .*\n)+"
_WRITER = '    "<format>": <format>,\n'

# By file: what its list looks like, and what comes before and behind it.
_LISTS = {
    "macros/formats/formats.sql": (r"return\(\[(?:\n    .*)+", "", "\n    '<format>',"),
    "README.md": (
        r"(?:\| \[`\w+`\]\(docs/formats/.*\n)+",
        "",
        "| [`<format>`](docs/formats/<format>.md) | TODO, the producer |\n",
    ),
    "tests/python/contract_messages.py": (_WRITERS, _CONTRACT_MESSAGE, _WRITER),
    "scripts/changelake/dev/bench_messages.py": (_WRITERS, _BENCH_MESSAGE, _WRITER),
}
_FILES = {
    "macros/formats/<format>/_<format>__macros.yml": _MACRO_YML,
    "models/silver/<format>/<format>_events.sql": _MODEL,
    "docs/formats/<format>.md": _DOCS,
}
_PARSER = "macros/formats/<format>/parse_<format>.sql"
_SAMPLES = "seeds/samples/<format>_messages.csv"
_UNIT_TESTS = "models/silver/<format>/_<format>__unit_tests.yml"


@dataclass
class Scaffold:
    """What was made: paths below the repository, of new files and of those that got a line.

    Attributes:
        written: the new files.
        extended: those that got a line.
        unclear: codes of operations whose names do not say what they mean.
        unknown: the parts of a message that no field of the samples was found for.
    """

    written: list[str]
    extended: list[str]
    unclear: list[str]
    unknown: list[str]


def new_format(
    format_id: str,
    root: Path | None = None,
    messages: Sequence[str] = (),
    fields: Mapping[str, str] | None = None,
) -> Scaffold:
    """Make a format's files and add it to the lists of formats.

    Args:
        format_id: its name: small letters, digits and `_`.
        root: the project, by default this repository.
        messages: samples, each a JSON object: the parser's fields, the operations' codes, the
            samples and the unit tests' messages are made of them.
        fields: the fields of parts of a message whose names do not tell, see MessageShape.

    Raises:
        UserError: no such name or field, or one of the files is there already; then nothing is
            written.
    """
    root = root or settings.REPO
    if not re.fullmatch("[a-z][a-z0-9_]{1,40}", format_id):
        raise UserError(
            f"{format_id!r} is not a valid format name: use small letters, digits and _"
        )
    shape = MessageShape(messages or _EXAMPLE, fields)
    if not shape.fields:
        raise UserError("the sample messages have no field: give some that have")
    files = {fill(path, format_id): fill(text, format_id) for path, text in _FILES.items()}
    files[fill(_PARSER, format_id)] = parser(format_id, shape)
    files[fill(_UNIT_TESTS, format_id)] = unit_tests(format_id, shape, bool(messages))
    files[fill(_SAMPLES, format_id)] = sample_messages(format_id, messages)
    if present := [path for path in files if (root / path).exists()]:
        raise UserError(f"{present[0]} is there already: nothing was written")
    lists = _lists(format_id, root, shape.codes)
    for path, text in [*files.items(), *lists.items()]:
        write_whole(root / path, text)
    unclear = [one.code for one in shape.codes if not one.event_type]
    return Scaffold(list(files), list(lists), unclear, shape.unknown if messages else [])


def _lists(format_id: str, root: Path, codes: Sequence[Code]) -> dict[str, str]:
    """Return the new texts of the files that list the formats, where they do not have this one."""
    texts: dict[str, str] = {}
    for path, (pattern, before, behind) in _LISTS.items():
        text = (root / path).read_text(encoding="utf-8")
        if re.search(rf"['\"`]{format_id}['\"`]", text):
            continue
        listed = re.search(pattern, text)
        if not listed:
            raise UserError(f"{path} has no list to add {format_id} to: nothing was written")
        longer = fill(before, format_id) + listed[0] + fill(behind, format_id)
        texts[path] = text[: listed.start()] + longer + text[listed.end() :]
    operations = io.StringIO()
    csv.writer(operations, lineterminator="\n").writerows(
        (format_id, one.code, one.event_type, one.operation) for one in codes if one.event_type
    )
    for path, entry in (
        ("models/bronze/_bronze__sources.yml", "      - name: <format>"),
        ("seeds/samples/_samples.yml", "  - name: <format>_messages\n    config: *messages"),
        ("models/silver/_events__models.yml", _MODEL_ENTRY),
        ("seeds/samples/feeds.csv", "demo_<format>,demo.<format>,,<format>,"),
        ("seeds/operation_codes.csv", operations.getvalue().rstrip("\n")),
    ):
        text = (root / path).read_text(encoding="utf-8").rstrip("\n")
        present = text.split("\n")
        lines = fill(entry, format_id)
        if path.endswith(".csv"):
            lines = "\n".join(one for one in lines.split("\n") if one not in present)
        if lines and lines.strip("\n").split("\n")[0] not in present:
            texts[path] = f"{text}\n{lines}\n"
    return texts
