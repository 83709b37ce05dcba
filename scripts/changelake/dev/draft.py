"""The first draft of a new format's parser, unit tests and samples, from messages of it."""

import csv
import datetime
import io
import json
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from changelake.dev.message_shape import NAMES, MessageShape

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
_MACRO = """\
{% macro parse_<format>(messages, operations) %}
with envelope as (
    -- scalars are read as string
    {{ json_envelope(
        messages,
        "<fields>",<bare_decimals>
        strict=true
    ) }}
),

coded as (
    {{ coded_events('envelope', operations, '<format>', '<operation>', '<sql>') }}
),

classified as (
    select
        *,
        -- TODO: also where the code alone does not tell that a message carries nothing
        case
            when is_tombstone then 'tombstone'
            when event_type = 'control' then 'control'
        end as no_event,
        {{ first_reject([
            ('missing_field', "'<operation_name> is missing'", "<operation> is null"),
            ('unknown_operation', "concat('<operation_name> is ', <operation>)", "code is null"),
            ('missing_field', "'<table_name> is missing'",
                needs_table() ~ " and " ~ non_blank('<table>') ~ " is null"),<has_rows><has_time>
        ]) }} as reject
    from coded
)<rows>

-- TODO: what the dialect does not carry stays null, what it carries stands in its column
select
    {{ event_head('<format>'<row_index>) }},
    <server> as source_name,
    <source> as source_type,
    {{ non_blank('<database>') }} as database_name,
    {{ non_blank('<schema>') }} as schema_name,
    {{ non_blank('<table>') }} as table_name,
    <keys> as key_columns,
    <before> as `before`,
    <after> as `after`,
    case when event_type = 'row' then false end as is_partial,
    <types> as column_types,
    <committed_at> as committed_at,
    <captured> as captured_at,
    <position> as source_position,
    <transaction> as transaction_id,
    case when event_type != 'row' then {{ non_blank('<sql>') }} end as ddl,
    {{ event_tail() }}
from <last>
{% endmacro %}
"""

_UNIT_TEST = """\
  - name: <format>__<case>
    description: <description>
    model: <format>_events
    overrides: *from_nothing
    given:
      - input: source('bronze', '<format>')
        format: sql
        rows: |
          {% raw %}{{ bronze_messages() }}{% endraw %} values
          <messages>
      - *codes
      - *samples
    expect:
      format: sql
      rows: |
        <expected>
"""

# What all unit tests share stands once, in the first of them.
_SHARED = {
    "overrides: *from_nothing": "overrides: &from_nothing {macros: {is_incremental: false}}",
    "- *codes": "- &codes {input: ref('operation_codes')}",
    "- *samples": "- &samples {input: ref('<format>_messages'), rows: []}",
}
_IMAGES = ("before", "after")
_TODO = '{"TODO": "a message"}'
_OUTCOME = "select '{}' as `outcome`"
_REJECTED = "select '{}' as `reject_reason`, 'rejected' as `outcome`"
_HAS_ROWS = """
            ('missing_field', "'there is no row, or one without columns'",
                "event_type = 'row' and " ~ lacks_rows('{}')),"""
_HAS_TIME = """
            not_an_epoch('{}', '{}'),"""


class Drafted(NamedTuple):
    """A message of a unit test, and the select of what its events have."""

    message: str
    expected: str


def parser(format_id: str, shape: MessageShape) -> str:
    """Return the file of a format's parser."""
    images = {part: shape.sql(part) or "cast(null as map<string, string>)" for part in _IMAGES}
    parts = {part: shape.sql(part) or "cast(null as string)" for part in NAMES}
    rows = ""
    if shape.has_lists:
        before = shape.sql("before") or "cast(null as array<map<string, string>>)"
        rows = (
            ",\n\nrows as (\n    {{ exploded_rows('classified', "
            f"'{images['after']}', '{before}') }}}}\n)"
        )
        images = {"before": "old", "after": "data"}
    last_name = {part: (path[-1] if path else part) for part, path in shape.paths.items()}
    captured = f"{{{{ epoch_timestamp('{parts['captured']}') }}}}"
    committed = f"{{{{ epoch_timestamp('{parts['committed']}') }}}}"
    has_time = _HAS_TIME.format(last_name["committed"], parts["committed"])
    texts = {
        **parts,
        **{f"{part}_name": last_name[part] for part in ("operation", "table", "committed")},
        **_image_columns(shape, images),
        "fields": _wrapped(shape.fields),
        "bare_decimals": f"\n{8 * ' '}bare_decimals='seldom'," if shape.has_bare_numbers else "",
        "has_rows": _HAS_ROWS.format(shape.sql("after")) if shape.has_lists else "",
        "has_time": has_time if shape.sql("committed") else "",
        "rows": rows,
        "row_index": ", row_index='coalesce(row_index, 0)'" if rows else "",
        "last": "rows" if rows else "classified",
        "keys": shape.sql("keys") or "cast(null as array<string>)",
        "committed_at": committed if shape.sql("committed") else "cast(null as timestamp)",
        "source": f"lower({shape.sql('source')})"
        if shape.sql("source")
        else "cast(null as string)",
        "captured": captured if shape.sql("captured") else "cast(null as timestamp)",
    }
    drafted = re.sub(r"<(\w+)>", lambda one: texts.get(one[1], one[0]), _MACRO)
    drafted = drafted.replace("{{ non_blank('cast(null as string)') }}", "cast(null as string)")
    return fill(drafted, format_id)


def _wrapped(fields: str) -> str:
    """Return fields in lines, none of which ends within a type."""
    whole = textwrap.wrap(re.sub(r"(?<!,) |(?<=map<string,) ", "\0", fields), 90)
    return f"\n{8 * ' '}".join(whole).replace("\0", " ")


def _image_columns(shape: MessageShape, images: dict[str, str]) -> dict[str, str]:
    """Return the contract's before and after, as the sample messages have them."""
    before, after = images["before"], images["after"]
    if not shape.has_old_values and not shape.deletes_after:
        return images
    of_update = f"map_concat({after}, {before})" if shape.has_old_values else before
    of_delete = after if shape.deletes_after else before
    return {
        "before": (
            f"case operation\n        when 'update' then {of_update}"
            f"\n        when 'delete' then {of_delete}\n    end"
        ),
        "after": (
            f"case when operation != 'delete' then {after} end" if shape.deletes_after else after
        ),
    }


def unit_tests(format_id: str, shape: MessageShape, has_messages: bool) -> str:
    """Return the yml of a format's unit tests: of each of CASES that it can have one.

    Args:
        format_id: the format.
        shape: what its messages are like.
        has_messages: they are a producer's; else each case has a TODO for its message.
    """
    found = _cases_of(shape) if has_messages else {}
    left = impossible_cases(shape) if has_messages else {}
    cases = [
        _unit_test(case, text, found.get(case, []))
        for case, text in CASES.items()
        if case not in left
    ]
    text = "version: 2\n\nunit_tests:\n" + "\n".join(cases)
    for alias, anchor in _SHARED.items():
        text = text.replace(alias, anchor, 1)
    return fill(text, format_id)


def impossible_cases(shape: MessageShape) -> dict[str, str]:
    """Return the cases that a dialect with such messages cannot have, with the reason."""
    left: dict[str, str] = {}
    if shape.of("row") and not shape.has_lists:
        left["multi_row_message"] = "a message holds one row"
    if shape.of("row", "update") and not shape.has_old_values:
        left["update_partial_before"] = "both images are always complete"
    return left


def _unit_test(case: str, description: str, found: Sequence[Drafted]) -> str:
    values = [f"r'{_inside_raw(one.message)}'" for one in found]
    expected = [one.expected for one in found]
    if case == "heartbeat_or_control":
        values, expected = ["null", *values], [_OUTCOME.format("tombstone"), *expected]
    elif not found:
        values, expected = [f"r'{_TODO}'"], [_OUTCOME.format("events")]
    texts = {
        "case": case,
        "description": description,
        "messages": f",\n{10 * ' '}".join(f"({n}, {value})" for n, value in enumerate(values)),
        "expected": f" union all\n{8 * ' '}".join(expected),
    }
    named = "|".join(texts)
    return re.sub(f"<({named})>", lambda one: texts[one[1]], _UNIT_TEST)


def _cases_of(shape: MessageShape) -> dict[str, list[Drafted]]:
    """Return by case the messages that show it, as far as there are some."""
    rows, updates = shape.of("row"), shape.of("row", "update")
    values = {
        n: [value for row in shape.rows(shape.messages[n], "after") for value in row.values()]
        for n in rows
    }
    partial = [n for n in updates if shape.lacks_columns(shape.messages[n])]
    several = [n for n in rows if len(shape.rows(shape.messages[n], "after")) > 1]

    def having(condition: Callable[[Any], bool]) -> list[int]:
        return [n for n in rows if any(map(condition, values[n]))][:1]

    places = {
        "insert": shape.of("row", "insert")[:1],
        "update_full_before": [n for n in updates if n not in partial][:1],
        "update_partial_before": partial[:1],
        "delete": shape.of("row", "delete")[:1],
        "snapshot": shape.of("row", "snapshot")[:1],
        "ddl": shape.of("schema"),
        "truncate": shape.of("truncate")[:1],
        "null_and_missing": having(lambda value: value is None),
        "key_change": [n for n in updates if shape.changes_key(shape.messages[n])][:1],
        "multi_row_message": several[:1],
        "unicode_and_escapes": having(lambda value: not str(value).isascii()),
        "decimal_precision": having(lambda value: bool(re.fullmatch(r"-?\d+\.\d+", str(value)))),
        "temporal_types": having(lambda value: bool(re.match(r"\d{4}-\d\d-\d\d", str(value)))),
        "binary": [n for n in rows if shape.holds_bytes(shape.messages[n])][:1],
        "duplicate_delivery": rows[:1] * 2,
    }  # fmt: skip
    cases = {
        case: [Drafted(shape.texts[n], _events(shape, n)) for n in found]
        for case, found in places.items()
    }
    cases["heartbeat_or_control"] = [
        Drafted(shape.texts[n], _OUTCOME.format(outcome))
        for kind, outcome in (("heartbeat", "events"), ("control", "control"))
        for n in shape.of(kind)
    ]
    cases["malformed_message"] = [Drafted("{", _REJECTED.format("malformed_json"))]
    for n in rows[:1]:
        code = json.dumps(shape.code_of(shape.messages[n]))
        unknown = shape.texts[n].replace(code, '"no_such_operation"', 1)
        if unknown != shape.texts[n]:
            rejected = Drafted(unknown, _REJECTED.format("unknown_operation"))
            cases["unknown_operation"] = [rejected]
    return cases


def _events(shape: MessageShape, place: int) -> str:
    """Return the select of what the events of the message at a place have."""
    message = shape.messages[place]
    code = next(one for one in shape.codes if one.code == shape.code_of(message))
    # what a statement does is told by its text
    shown = f", '{code.operation}' as `operation`" if code.event_type == "row" else ""
    event = f"select '{code.event_type}' as `event_type`{shown}, 'events' as `outcome`"
    rows = max(len(shape.rows(message, part)) for part in _IMAGES) if shape.has_lists else 1
    return f" union all\n{8 * ' '}".join([event] * max(rows, 1))


def _inside_raw(text: str) -> str:
    """Return JSON as it can stand between `r'` and `'`, in yml that dbt renders."""

    def escaped(found: re.Match[str]) -> str:
        units = found[0].encode("utf-16-be").hex()
        return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))

    hidden = "".join(one for one in set(text) if not one.isprintable())
    return re.sub(f"{{[{{%#]|['{re.escape(hidden)}]", escaped, text)


def sample_messages(format_id: str, messages: Sequence[str]) -> str:
    """Return the seed of a format's sample messages, with a tombstone and one that is cut off."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    place = ("kafka_topic", "kafka_partition", "kafka_offset", "kafka_timestamp")
    writer.writerow(["feed", *place, "key", "value"])
    cut = [messages[-1][: len(messages[-1]) // 2]] if messages else []
    for n, value in enumerate([*messages, *([""] if messages else []), *cut]):
        moment = datetime.datetime(2026, 3, 1, 8) + datetime.timedelta(seconds=n)
        writer.writerow([f"demo_{format_id}", f"demo.{format_id}", 0, n, moment, "", value])
    return text.getvalue()


def fill(text: str, format_id: str) -> str:
    """Return a text with the format's name in its places."""
    return text.replace("<format>", format_id)
