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
from changelake.dev.draft import fill, impossible_cases, parser, sample_messages, unit_tests
from changelake.dev.draft_messages import bench_writer, contract_writer
from changelake.dev.message_shape import MessageShape

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
        unit_test_exceptions:<exceptions>
    columns: *columns"""  # noqa: E501

_DOCS = """\
# <format>: TODO, whose messages these are

TODO: what one message holds, and what the Kafka key is.

| contract | from |
|---|---|
| `event_type`, `operation` | <operation> |
| `source_name`, `source_type` | <server> <source> |
| `database_name`, `schema_name`, `table_name` | <database> <schema> <table> |
| `key_columns` | <keys> |
| `before`, `after` | <before> <after> |
| `column_types` | <types> |
| `committed_at`, `captured_at` | <committed> <captured> |
| `source_position`, `transaction_id` | <position> <transaction> |
| `ddl` | <sql> |

Values: TODO, how the dialect writes numbers, times, bytes and null.

Not kept: TODO.

Lost: TODO, what the producer does not write.

Rejects: TODO.

Tolerated: TODO.
"""

_WRITERS = r"WRITERS: .*\n(?:    .*\n)+"
_WRITER = '    "<format>": <format>,\n'
_ONE_PER_LINE = r" = [{(]\n(?:    .*\n)+"

_FORMATS = {
    "macros/formats/formats.sql": (r"return\(\[(?:\n    .*)+", "", "\n    '<format>',"),
    "README.md": (
        r"(?:\| \[`\w+`\]\(docs/formats/.*\n)+",
        "",
        "| [`<format>`](docs/formats/<format>.md) | TODO, the producer |\n",
    ),
}
_CONTRACT_MESSAGES = "tests/python/contract_messages.py"
_FILES = {
    "macros/formats/<format>/_<format>__macros.yml": _MACRO_YML,
    "models/silver/<format>/<format>_events.sql": _MODEL,
}
_PAGE = "docs/formats/<format>.md"
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
        found: the fields of the others.
        left_out: the cases that such a dialect cannot have, with the reason.
    """

    written: list[str]
    extended: list[str]
    unclear: list[str]
    unknown: list[str]
    found: dict[str, str]
    left_out: dict[str, str]


def new_format(
    format_id: str,
    root: Path | None = None,
    messages: Sequence[str] = (),
    fields: Mapping[str, str] | None = None,
    meanings: Mapping[str, str] | None = None,
    is_dry_run: bool = False,
) -> Scaffold:
    """Make a format's files and add it to the lists of formats.

    Args:
        format_id: its name: small letters, digits and `_`.
        root: the project, by default this repository.
        messages: samples, each a JSON object: the parser's fields, the operations' codes, the
            samples and the unit tests' messages are made of them.
        fields: the fields of parts of a message whose names do not tell, see MessageShape.
        meanings: what codes mean whose names do not tell, see MessageShape.
        is_dry_run: nothing is written.

    Raises:
        UserError: no such name, field or code, or one of the files is there already; then nothing
            is written.
    """
    root = root or settings.REPO
    if not re.fullmatch("[a-z][a-z0-9_]{1,40}", format_id):
        raise UserError(
            f"{format_id!r} is not a valid format name: use small letters, digits and _"
        )
    shape = MessageShape(messages or _EXAMPLE, fields, meanings)
    if not shape.fields:
        raise UserError("the sample messages have no field: give some that have")
    files = {fill(path, format_id): fill(text, format_id) for path, text in _FILES.items()}
    files[fill(_PAGE, format_id)] = _docs(format_id, shape if messages else MessageShape(["{}"]))
    files[fill(_PARSER, format_id)] = parser(format_id, shape)
    files[fill(_UNIT_TESTS, format_id)] = unit_tests(format_id, shape, bool(messages))
    files[fill(_SAMPLES, format_id)] = sample_messages(format_id, messages)
    if present := [path for path in files if (root / path).exists()]:
        raise UserError(f"{present[0]} is there already: nothing was written")
    lists = _lists(format_id, root, shape, bool(messages))
    if not is_dry_run:
        for path, text in [*files.items(), *lists.items()]:
            write_whole(root / path, text)
    return Scaffold(
        list(files),
        list(lists),
        [one.code for one in shape.codes if not one.event_type],
        shape.unknown if messages else [],
        {part: ".".join(path) for part, path in shape.paths.items() if path and messages},
        impossible_cases(shape) if messages else {},
    )


def _docs(format_id: str, shape: MessageShape) -> str:
    """Return the page of a format, with the fields of its messages in the contract's table."""

    def fields(row: re.Match[str]) -> str:
        paths = [shape.paths[part] for part in re.findall(r"<(\w+)>", row[0])]
        return "| " + ", ".join(f"`{'.'.join(path)}`" for path in paths if path) + " |"

    table = re.sub(r"\| <\w+>( <\w+>)* \|", fields, fill(_DOCS, format_id))
    return table.replace("|  |", "| |")


def _lists(format_id: str, root: Path, shape: MessageShape, has_messages: bool) -> dict[str, str]:
    """Return the new texts of the files that list the formats, where they do not have this one."""
    texts: dict[str, str] = {}
    lists = [(path, *one) for path, one in _FORMATS.items()]
    lists += [
        (_CONTRACT_MESSAGES, _WRITERS, contract_writer(format_id, shape), _WRITER),
        (
            "scripts/changelake/dev/bench_messages.py",
            _WRITERS,
            bench_writer(format_id, shape),
            _WRITER,
        ),
    ]
    if has_messages:
        lists += _differences(shape)
    for path, pattern, before, behind in lists:
        text = (root / path).read_text(encoding="utf-8")
        if re.search(rf"['\"`]{format_id}['\"`]", text):
            continue
        text = texts.get(path, text)
        listed = re.search(pattern, text)
        if not listed:
            raise UserError(f"{path} has no list to add {format_id} to: nothing was written")
        longer = fill(before, format_id) + listed[0] + fill(behind, format_id)
        texts[path] = text[: listed.start()] + longer + text[listed.end() :]
    operations = io.StringIO()
    csv.writer(operations, lineterminator="\n").writerows(
        (format_id, one.code, one.event_type, one.operation)
        for one in shape.codes
        if one.event_type
    )
    left_out = impossible_cases(shape) if has_messages else {}
    reasons = "".join(f"\n          {case}: {reason}" for case, reason in left_out.items())
    for path, entry in (
        ("models/bronze/_bronze__sources.yml", "      - name: <format>"),
        ("seeds/samples/_samples.yml", "  - name: <format>_messages\n    config: *messages"),
        (
            "models/silver/_events__models.yml",
            _MODEL_ENTRY.replace("<exceptions>", reasons or " {}"),
        ),
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


def _differences(shape: MessageShape) -> list[tuple[str, str, str, str]]:
    """Return the lists of the tests that say how dialects differ, as far as the samples tell."""
    contract = "tests/python/test_contract.py"
    lacks = [
        f'"{change}"'
        for change, has_some in (
            ("snapshot", shape.code("row", "snapshot")), ("ddl", shape.of("schema")),
        )
        if not has_some
    ]  # fmt: skip
    found: list[tuple[str, str, str, str]] = []
    if lacks:
        line = f'    "<format>": {{{", ".join(lacks)}}},\n'
        found.append((_CONTRACT_MESSAGES, "LACKS" + _ONE_PER_LINE, "", line))
    if not shape.paths["keys"]:
        found.append((contract, "NAMELESS_KEYS" + _ONE_PER_LINE, "", '    "<format>",\n'))
    if shape.paths["server"]:
        found.append((contract, "SOURCE_NAMES" + _ONE_PER_LINE, "", '    "<format>": "s",\n'))
    if shape.has_bare_numbers:
        path = "tests/python/parsed_messages.py"
        found.append((path, "BARE_NUMBERS" + _ONE_PER_LINE, "", '    "<format>",\n'))
    return found
