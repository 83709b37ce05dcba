"""Messages that are cut, altered, large or deep: each is an event, or a reject with its reason."""

import json
from decimal import Decimal
from typing import Any

import pytest

from avro import encode
from contract_messages import MILLIS, ROW, WRITERS
from parsed_messages import (
    BARE_NUMBERS,
    BINARY,
    NUMBERS,
    UNSIGNED,
    ParsedMessages,
    messages,
    nested,
    outcomes,
    with_outcome,
)  # fmt: skip

pytestmark = pytest.mark.e2e

# Producers of these formats write no exponent without a sign, and a check for one would make the
# parser a fifth slower: such a number is read as a double.
BY_DOUBLE = ("canal", "cloudcanal_json", "dataworks_streamx", "dms_json", "ogg_json")
# A format in JSON, one with documents, one in Avro; the others are left to the thorough tests.
QUICK = ("canal", "drs_mongo", "dts_avro")
LARGE, DEEP = 21_000_000, 500


def check(format_id: str, values: list[tuple[Any, Any]], found: list[list[Any]]) -> None:
    """Check that every message is counted, as an event or as a reject with a useful reason."""
    for (_, value), rows in zip(values, found, strict=True):
        assert rows, (format_id, "is not counted out", value)
        for row in rows:
            is_reject = row.outcome == "rejected"
            said = (bool(row.reject_reason), bool(row.reject_detail))
            assert said == (is_reject, is_reject), (format_id, row, value)
            # The first half of an update waits for the second and has no type of its own.
            is_event = row.outcome == "events" and format_id != "dataworks_streamx"
            assert row.event_type is not None or not is_event, (format_id, row)


@pytest.mark.parametrize(
    "format_id",
    [
        pytest.param(one, marks=() if one in QUICK else pytest.mark.thorough)
        for one in sorted(WRITERS)
    ],
)
def test_large_and_deep_messages_are_events(spark: Any, parsers: Any, format_id: str) -> None:
    large = {**ROW, "name": "x" * LARGE}
    values: list[tuple[Any, Any]] = [*WRITERS[format_id]("insert", None, large)]
    # In a document's text, or as a value that the dialect would not write but which is clear.
    deep = {**ROW, "name": json.loads(nested(DEEP))}
    if format_id not in BINARY:
        values += WRITERS[format_id]("insert", None, deep)
    found = outcomes(with_outcome(spark, parsers[format_id], values), len(values))
    assert [[row.outcome for row in rows] for rows in found] == [["events"]] * len(values)


@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - set(BINARY)))
def test_what_is_cut_or_beyond_the_limits_is_a_reject(told: ParsedMessages, format_id: str) -> None:
    values, found = told.of(format_id, "cut")
    check(format_id, values, found)
    assert {row.outcome for rows in found for row in rows} == {"rejected"}


@pytest.mark.parametrize("format_id", BINARY)
def test_each_beginning_of_an_avro_message_is_a_reject(
    told: ParsedMessages, format_id: str
) -> None:
    values, found = told.of(format_id, "beginnings")
    check(format_id, values, found)
    taken = [pair for pair, rows in zip(values, found, strict=True) if rows[0].outcome == "events"]
    # DTS's older producers end before the record's last field.
    last = len(encode("long", MILLIS))
    whole = messages(format_id) if format_id == "dts_avro" else ()
    assert taken == [(key, value[:-last]) for key, value in whole]


@pytest.mark.parametrize("format_id", sorted(WRITERS))
def test_what_is_altered_is_counted_out(told: ParsedMessages, format_id: str) -> None:
    check(format_id, *told.of(format_id, "altered"))


def test_any_key_of_kafka_is_taken(told: ParsedMessages) -> None:
    check("debezium", *told.of("debezium", "odd_keys"))


@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - set(BINARY)))
def test_what_is_nearly_json_is_a_reject(told: ParsedMessages, format_id: str) -> None:
    values, found = told.of(format_id, "nearly_json")
    assert len(values) >= 13
    check(format_id, values, found)
    taken = [pair for pair, rows in zip(values, found, strict=True) if rows[0].outcome == "events"]
    assert taken == []


@pytest.mark.parametrize("format_id", BARE_NUMBERS)
def test_bare_numbers_are_exact(told: ParsedMessages, format_id: str) -> None:
    _, found = told.of(format_id, "bare_numbers")
    names = [row.name for (row,) in found]
    exact = len(NUMBERS)
    assert list(map(Decimal, names[:exact])) == list(map(Decimal, NUMBERS))
    if format_id in BY_DOUBLE:
        assert names[exact:] == list(UNSIGNED.values())
    else:
        assert list(map(Decimal, names[exact:])) == list(map(Decimal, UNSIGNED))
