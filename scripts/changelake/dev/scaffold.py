"""Makes the files of a new format, which its author then fills in."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS
from changelake.core.files import write_whole

# The cases that every format's unit tests have, in this order, with what each of them holds.
CASES = {
    "insert": "A complete row and all that its message says of it.",
    "update_full_before": "The row before the change is complete.",
    "update_partial_before": "The row before the change holds only some columns.",
    "delete": "The deleted row stands in before, and after is null.",
    "snapshot": "The rows of a full load.",
    "ddl": "What each statement does to the table.",
    "truncate": "A truncation needs the name of its table.",
    "heartbeat_or_control": "What carries nothing for a table is counted; so is a tombstone.",
    "null_and_missing": "SQL NULL, an empty text and a missing column differ.",
    "key_change": "One update whose before holds the old key, or a delete and an insert.",
    "multi_row_message": "Every row of a message has its own event and row_index.",
    "unicode_and_escapes": "Any character in values and names; a name keeps its trailing blank.",
    "decimal_precision": "No digit of a number is lost.",
    "temporal_types": "Times stand as the producer writes them, zero dates too.",
    "binary": "Bytes stand in the dialect's encoding.",
    "unknown_operation": "An operation that the dialect does not have is a reject that names it.",
    "malformed_message": "Each is one reject with its reason.",
    "duplicate_delivery": "A message that comes again is an event again, at its own offset.",
}
_OUTCOMES = {
    "heartbeat_or_control": "control",
    "unknown_operation": "rejected",
    "malformed_message": "rejected",
}

_MACRO = """\
{#
    TODO: what a message of <format> holds, in a sentence. See docs/formats/<format>.md.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        operations (string): the relation of the seed operation_codes.

    Returns: a select of the contract's columns and the outcome's, one row per event.
#}
{% macro parse_<format>(messages, operations) %}
with envelope as (
    -- TODO: the fields of a message; scalars are read as string
    {{ json_envelope(
        messages,
        "op: string, `database`: string, `table`: string, time: string, sql: string,
        `before`: map<string, string>, `after`: map<string, string>",
        strict=true
    ) }}
),

coded as (
    {{ coded_events('envelope', operations, '<format>', 'message.op', 'message.sql') }}
),

classified as (
    select
        *,
        -- TODO: 'control' for what carries nothing for a table
        case when is_tombstone then 'tombstone' end as no_event,
        {{ first_reject([
            ('missing_field', "'op is missing'", "message.op is null"),
            ('unknown_operation', "concat('op is ', message.op)", "code is null"),
            ('missing_field', "'table is missing'",
                needs_table() ~ " and " ~ non_blank('message.`table`') ~ " is null"),
            ('wrong_type', "concat('time is ', message.time)", not_an_epoch('message.time')),
        ]) }} as reject
    from coded
)

-- TODO: what the dialect does not carry stays null, what it carries stands in its column
select
    feed,
    '<format>' as format,
    kafka_topic,
    kafka_partition,
    kafka_offset,
    kafka_timestamp,
    0 as row_index,
    case when reject is null and no_event is null then event_type end as event_type,
    case when reject is null and no_event is null then operation end as operation,
    cast(null as string) as source_name,
    cast(null as string) as source_type,
    {{ non_blank('message.`database`') }} as database_name,
    cast(null as string) as schema_name,
    {{ non_blank('message.`table`') }} as table_name,
    cast(null as array<string>) as key_columns,
    message.`before` as `before`,
    message.`after` as `after`,
    case when event_type = 'row' then false end as is_partial,
    cast(null as string) as column_types,
    {{ epoch_timestamp('message.time') }} as committed_at,
    cast(null as timestamp) as captured_at,
    cast(null as string) as source_position,
    cast(null as string) as transaction_id,
    case when event_type != 'row' then {{ non_blank('message.sql') }} end as ddl,
    landed_at,
    reject.reason as reject_reason,
    reject.detail as reject_detail,
    {{ event_outcome() }} as outcome,
    cast(null as bigint) as message_number,
    landed_date
from classified
{% endmacro %}
"""

_MACRO_YML = """\
version: 2

macros:
  - name: parse_<format>
    description: TODO, the messages of <format> as rows of the contract.
    arguments:
      - name: messages
        type: string
        description: a relation or CTE with bronze's columns
      - name: operations
        type: string
        description: the relation of the seed operation_codes
"""

_MODEL = """\
{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('<format>_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', '<format>'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range, again="outcome = 'rejected'" if var('changelake_retry_rejects', false) else '') }}
)

select
    *,
    {{ range.batch }} as parse_batch,
    cast({{ range.version if range.version is not none else 'null' }} as bigint) as bronze_version
from ({{ parse_<format>('messages', ref('operation_codes')) }})
"""  # noqa: E501

_MODEL_ENTRY = """
  - name: <format>_events
    description: TODO, whose messages; one row per event; rejects, tombstones and control messages one row each.
    config:
      meta:
        # a case that the dialect cannot have, with its reason: then it needs no unit test
        unit_test_exceptions: {}
    columns: *columns"""  # noqa: E501

_UNIT_TEST = """\
  - name: <format>__<case>
    description: <description>
    model: <format>_events
    overrides:
      macros:
        is_incremental: false
    given:
      - input: source('bronze', '<format>')
        format: sql
        rows: |
          {% raw %}{{ bronze_messages() }}{% endraw %} values
          (0, r'{"TODO": "a message"}')
      - input: ref('operation_codes')
      - input: ref('<format>_messages')
        rows: []
    expect:
      format: sql
      rows: |
        select '<outcome>' as `outcome`
"""

_SAMPLES = "feed,kafka_topic,kafka_partition,kafka_offset,kafka_timestamp,key,value\n"

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

_FILES = {
    "macros/formats/<format>/parse_<format>.sql": _MACRO,
    "macros/formats/<format>/_<format>__macros.yml": _MACRO_YML,
    "models/silver/<format>/<format>_events.sql": _MODEL,
    "seeds/samples/<format>_messages.csv": _SAMPLES,
    "docs/formats/<format>.md": _DOCS,
}
_UNIT_TESTS = "models/silver/<format>/_<format>__unit_tests.yml"


@dataclass
class Scaffold:
    """What was made: paths below the repository, of new files and of those that got a line."""

    written: list[str] = field(default_factory=list[str])
    extended: list[str] = field(default_factory=list[str])


def unit_tests(format_id: str) -> str:
    """Return the yml of a format's unit tests, a case that is to be filled in for each of CASES."""
    cases = [
        _fill(_UNIT_TEST, format_id)
        .replace("<case>", case)
        .replace("<description>", description)
        .replace("<outcome>", _OUTCOMES.get(case, "events"))
        for case, description in CASES.items()
    ]
    return "version: 2\n\nunit_tests:\n" + "\n".join(cases)


def new_format(format_id: str, root: Path | None = None) -> Scaffold:
    """Make a format's files and add it to the lists of formats.

    Args:
        format_id: its name, one of `changelake.core.feeds.FORMATS`.
        root: the project, by default this repository.

    Raises:
        UserError: an unknown name, or one of the files is there already; then nothing is written.
    """
    root = root or settings.REPO
    if format_id not in FORMATS:
        raise UserError(
            f"{format_id!r} is none of the formats that feeds can have: add it to FORMATS in "
            f"scripts/changelake/core/feeds.py first (there are {', '.join(FORMATS)})"
        )
    files = {_fill(path, format_id): _fill(text, format_id) for path, text in _FILES.items()}
    files[_fill(_UNIT_TESTS, format_id)] = unit_tests(format_id)
    if present := [path for path in files if (root / path).exists()]:
        raise UserError(f"{present[0]} is there already: nothing was written")
    lists = _lists(format_id, root)
    for path, text in files.items():
        write_whole(root / path, text)
    for path, text in lists.items():
        write_whole(root / path, text)
    return Scaffold(list(files), list(lists))


def _fill(text: str, format_id: str) -> str:
    return text.replace("<format>", format_id)


def _lists(format_id: str, root: Path) -> dict[str, str]:
    """Return the new texts of the files that list the formats, where they do not have this one."""
    texts: dict[str, str] = {}
    formats = "macros/formats/formats.sql"
    text = (root / formats).read_text(encoding="utf-8")
    if f"'{format_id}'" not in text:
        longer, found = re.subn(
            r"(return\(\[.*?)\s*\]\)", rf"\1, '{format_id}'])", text, flags=re.S
        )
        if not found:
            raise UserError(f"{formats} has no list to add {format_id} to: nothing was written")
        texts[formats] = longer
    for path, entry in (
        ("models/bronze/_bronze__sources.yml", "      - name: <format>"),
        ("seeds/samples/_samples.yml", "  - name: <format>_messages\n    config: *messages"),
        ("models/silver/_events__models.yml", _MODEL_ENTRY),
    ):
        text = (root / path).read_text(encoding="utf-8").rstrip("\n")
        lines = _fill(entry, format_id)
        if lines.strip("\n").split("\n")[0] not in text.split("\n"):
            texts[path] = f"{text}\n{lines}\n"
    return texts
