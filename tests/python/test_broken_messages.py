"""Messages that are cut, altered, large or deep: each is an event, or a reject with its reason."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

import pytest

from avro import encode
from contract_messages import CHANGES, LACKS, MILLIS, ROW, WRITERS, as_bytes
from parsers import REGISTRY_FEEDS, parsed

pytestmark = pytest.mark.e2e
FEEDS_OF_TABLES = REGISTRY_FEEDS

BINARY = ("drs_avro", "dts_avro", "debezium_avro")
# Producers of these formats write numbers without quotes.
BARE_NUMBERS = (
    "canal", "cloudcanal_json", "dataworks_streamx", "dms_json", "ogg_json", "maxwell",
    "ticdc", "oceanbase_dataworks",
    "oceanbase_default", "oceanbase_default_extended", "oceanbase_shareplex",
)  # fmt: skip
# Producers of these formats write no exponent without a sign, and a check for one would make the
# parser a fifth slower: such a number is read as a double.
BY_DOUBLE = ("canal", "cloudcanal_json", "dataworks_streamx", "dms_json", "ogg_json")
# A format in JSON, one with documents, one in Avro; the others are left to the thorough tests.
QUICK = ("canal", "drs_mongo", "dts_avro")
LARGE = 21_000_000
DEEP, TOO_DEEP = 500, 1100
# Values that replace a field.
OTHERS = (None, "", "x", -1, 1e300, 10**40, True, [], {}, [[]], [None], {"": None}, [{"a": [1]}])
CUTS = 40
FLIPS = 120
KEYS = (None, [], "x", {}, {"id": None}, {"id": [1]}, 5)
NUMBERS = (
    "1.4E+23", "2E+23", "-2e+23", "12345678901234567890.5", "0.1234567890123456789",
    "12345678901234567890123456789012345678", "1.10", "-0.5", "1E-7", "123456789012345.6E+3",
    # larger than the longest number that Jackson reads
    "9" * 1100, "-0." + "7" * 1100,
)  # fmt: skip
UNSIGNED = {
    "2E23": "1.9999999999999998E23", "-2e23": "-1.9999999999999998E23", "1e400": '"Infinity"',
}  # fmt: skip
Messages = Iterator[tuple[Any, Any]]


@pytest.fixture(scope="module")
def told(spark: Any, parsers: dict[str, str]) -> Callable[[str, str], Any]:
    """Gives the messages of a kind with the outcome of each.

    All kinds of messages of a format are parsed in one query: planning a parser takes a second.
    """
    found: dict[str, dict[str, Any]] = {}

    def of(format_id: str, kind: str) -> Any:
        if format_id not in found:
            given = {name: list(give(format_id)) for name, give in KINDS.items()}
            whole = [one for values in given.values() for one in values]
            rows = iter(outcomes(spark, parsers[format_id], whole))
            found[format_id] = {
                name: (values, list(islice(rows, len(values)))) for name, values in given.items()
            }
        return found[format_id][kind]

    return of


def messages(format_id: str) -> Messages:
    """Return a dialect's message for each change, as keys and values."""
    for change, (before, after) in {**CHANGES, "ddl": (None, None)}.items():
        if change not in LACKS.get(format_id, ()):
            yield from WRITERS[format_id](change, before, after)


def nested(depth: int) -> str:
    """Return JSON of this depth, of alternating lists and objects."""
    halves = depth // 2
    return '{"a":[' * halves + "]}" * halves


def outcomes(spark: Any, parser: str, values: list[tuple[Any, Any]]) -> list[list[Any]]:
    """Return for each message its rows: event_type, outcome, reason, detail and a name."""
    rows = [(number, as_bytes(key), as_bytes(value)) for number, (key, value) in enumerate(values)]
    found: list[list[Any]] = [[] for _ in rows]
    kept = ("kafka_offset", "event_type", "outcome", "reject_reason", "reject_detail")
    # A table of events has all columns, so all of them must be computed.
    whole = "to_json(struct(*)) is not null as whole"
    named = "after['name'] as name"
    for row in parsed(spark, parser, rows).selectExpr(*kept, named, whole).collect():
        found[row.kafka_offset].append(row)
    return found


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
    found = outcomes(spark, parsers[format_id], values)
    assert [[row.outcome for row in rows] for rows in found] == [["events"]] * len(values)


def cut(format_id: str) -> Messages:
    """Return messages that are cut, go on after their end, or are deeper than Spark reads."""
    if format_id in BINARY:
        return
    for key, value in messages(format_id):
        text = json.dumps(value).encode()
        yield from ((key, text[:end]) for end in range(0, len(text), len(text) // CUTS))
        # One GoldenGate message can hold several documents.
        again = text if format_id != "ogg_json" else text[:-1]
        yield from ((key, text + more) for more in (b"}", b"x", b"{}", b",", again, b"\0", b"\xff"))
    ((key, value),) = WRITERS[format_id]("insert", None, {**ROW, "name": "deep"})
    text = json.dumps(value)
    # Cut within a text that is JSON itself, too.
    for quote in ('"', '\\"'):
        deep = nested(TOO_DEEP).replace('"', quote)
        text = text.replace(f"{quote}deep{quote}", deep)
    yield key, text.encode()


@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - set(BINARY)))
def test_what_is_cut_or_beyond_the_limits_is_a_reject(told: Any, format_id: str) -> None:
    values, found = told(format_id, "cut")
    check(format_id, values, found)
    assert {row.outcome for rows in found for row in rows} == {"rejected"}


def beginnings(format_id: str) -> Messages:
    """Return every proper prefix of an Avro dialect's messages."""
    if format_id in BINARY:
        for key, value in messages(format_id):
            yield from ((key, value[:end]) for end in range(len(value)))


@pytest.mark.parametrize("format_id", BINARY)
def test_each_beginning_of_an_avro_message_is_a_reject(told: Any, format_id: str) -> None:
    values, found = told(format_id, "beginnings")
    check(format_id, values, found)
    taken = [pair for pair, rows in zip(values, found, strict=True) if rows[0].outcome == "events"]
    # DTS's older producers end before the record's last field.
    last = len(encode("long", MILLIS))
    whole = messages(format_id) if format_id == "dts_avro" else ()
    assert taken == [(key, value[:-last]) for key, value in whole]


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each field and list entry of a message."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for name, below in pairs:
        yield (*path, name)
        if isinstance(below, dict | list):
            yield from places(below, (*path, name))


def with_other(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """Return a message with another value at a path; `...` removes what is there."""
    draft = copy.deepcopy(value)
    holder = draft
    for name in path[:-1]:
        holder = holder[name]
    if other is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = other
    return draft


def altered(format_id: str) -> Messages:
    """Return messages with each field removed or replaced in turn, and with odd bytes."""
    chance = random.Random(1)
    for key, value in messages(format_id):
        if format_id in BINARY:
            text = value
        else:
            for path in places(value):
                yield from ((key, with_other(value, path, other)) for other in (..., *OTHERS))
            text = json.dumps(value).encode()
        for _ in range(FLIPS):
            draft = bytearray(text)
            for _ in range(chance.randint(1, 3)):
                draft[chance.randrange(len(draft))] = chance.randrange(256)
            yield key, bytes(draft)


@pytest.mark.parametrize("format_id", sorted(WRITERS))
def test_what_is_altered_is_counted_out(told: Any, format_id: str) -> None:
    check(format_id, *told(format_id, "altered"))


def odd_keys(format_id: str) -> Messages:
    """Return messages with Kafka keys that their producer would not write."""
    if format_id == "debezium":
        for key in (json.dumps(one).encode() for one in KEYS):
            yield from (
                (one, message) for _, message in messages(format_id) for one in (key, key[:-1])
            )


def test_any_key_of_kafka_is_taken(told: Any) -> None:
    check("debezium", *told("debezium", "odd_keys"))


def nearly_json(format_id: str) -> Messages:
    """Return messages that some JSON parsers accept."""
    if format_id in BINARY:
        return
    ((key, value),) = WRITERS[format_id]("insert", None, {**ROW, "name": "plain"})
    assert isinstance(value, dict)
    text = json.dumps(value)
    yield key, text.replace("'", "").replace('"', "'").encode()
    for other in ("007", "1.", "1.2.3", "2026-03-01", "1e", "+1", "NaN", "0x1", "undefined"):
        yield key, f'{text[:-1]}, "more": {other}}}'.encode()
    for path in places(value):
        is_name = any(with_other(value, path, name) == value for name in ("orders", "shop.orders"))
        if is_name:
            yield from ((key, with_other(value, path, one)) for one in ({"a": 1}, ["x"], []))


@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - set(BINARY)))
def test_what_is_nearly_json_is_a_reject(told: Any, format_id: str) -> None:
    values, found = told(format_id, "nearly_json")
    assert len(values) >= 13
    check(format_id, values, found)
    taken = [pair for pair, rows in zip(values, found, strict=True) if rows[0].outcome == "events"]
    assert taken == []


def bare_numbers(format_id: str) -> Messages:
    """Return messages with bare numbers in place of quoted values."""
    for number in (*NUMBERS, *UNSIGNED) if format_id in BARE_NUMBERS else ():
        ((key, value),) = WRITERS[format_id]("insert", None, {"id": "1", "name": "number"})
        yield key, json.dumps(value).replace('"number"', number).encode()


@pytest.mark.parametrize("format_id", BARE_NUMBERS)
def test_bare_numbers_are_exact(told: Any, format_id: str) -> None:
    _, found = told(format_id, "bare_numbers")
    names = [row.name for (row,) in found]
    exact = len(NUMBERS)
    assert list(map(Decimal, names[:exact])) == list(map(Decimal, NUMBERS))
    if format_id in BY_DOUBLE:
        assert names[exact:] == list(UNSIGNED.values())
    else:
        assert list(map(Decimal, names[exact:])) == list(map(Decimal, UNSIGNED))


KINDS: dict[str, Callable[[str], Messages]] = {
    one.__name__: one for one in (cut, beginnings, altered, odd_keys, nearly_json, bare_numbers)
}
