"""Messages that are cut, altered, large or deep: each is an event or a reject with its reason."""

import copy
import json
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from avro import encode
from contract_messages import CHANGES, LACKS, MILLIS, ROW, WRITERS, as_bytes
from parsers import compiled_parsers, parsed

pytestmark = pytest.mark.e2e

BINARY = ("drs_avro", "dts_avro")
# whose producers write numbers without quotes
BARE_NUMBERS = (
    "canal", "cloudcanal_json", "dataworks_streamx", "dms_json", "ogg_json", "maxwell",
    "ticdc", "oceanbase_dataworks",
    "oceanbase_default", "oceanbase_default_extended", "oceanbase_shareplex",
)  # fmt: skip
# Of these the producers write no exponent without a sign, and to look for one would cost a fifth of
# the parser's speed: such a number is read by way of a double.
BY_DOUBLE = ("canal", "cloudcanal_json", "dataworks_streamx", "dms_json", "ogg_json")
# One that reads JSON, one that reads documents, one that reads Avro: the others are thorough.
QUICK = ("canal", "drs_mongo", "dts_avro")
LARGE = 21_000_000
DEEP, TOO_DEEP = 500, 1100
# Escapes of half a surrogate pair. A document in a text escapes them twice, and MongoDB has none.
HALVES = (r"\ud83d", r"x\uDE00", r"\ud83d\ud83d\ude00", r"\\\uD83D\\ude00")
DOCUMENTS = ("drs_mongo", "debezium_mongodb")
# What stands in the place of a field.
OTHERS = (None, "", "x", -1, 1e300, 10**40, True, [], {}, [[]], [None], {"": None}, [{"a": [1]}])
CUTS = 40
FLIPS = 120


@pytest.fixture(scope="module")
def parsers(spark: Any, project: Path) -> dict[str, str]:
    """The parsers by format."""
    return compiled_parsers(spark, project)


def messages(format_id: str) -> Iterator[tuple[Any, Any]]:
    """Give a dialect's message of each change, as keys and values."""
    for change, (before, after) in {**CHANGES, "ddl": (None, None)}.items():
        if change not in LACKS.get(format_id, ()):
            yield from WRITERS[format_id](change, before, after)


def nested(depth: int) -> str:
    """Return JSON of a depth, of lists and objects in turn."""
    halves = depth // 2
    return '{"a":[' * halves + "]}" * halves


def outcomes(spark: Any, parser: str, values: list[tuple[Any, Any]]) -> list[list[Any]]:
    """Return by message what became of it: rows of event_type, outcome, reason and detail."""
    rows = [(number, as_bytes(key), as_bytes(value)) for number, (key, value) in enumerate(values)]
    found: list[list[Any]] = [[] for _ in rows]
    kept = ("kafka_offset", "event_type", "outcome", "reject_reason", "reject_detail")
    # a table of events has every column, so every one of them is computed
    whole = "to_json(struct(*)) is not null as whole"
    for row in parsed(spark, parser, rows).selectExpr(*kept, whole).collect():
        found[row.kafka_offset].append(row)
    return found


def check(format_id: str, values: list[tuple[Any, Any]], found: list[list[Any]]) -> None:
    """Hold that each message is counted out, as an event, or with a reason that says something."""
    for (_, value), rows in zip(values, found, strict=True):
        assert rows, (format_id, "is not counted out", value)
        for row in rows:
            is_reject = row.outcome == "rejected"
            said = (bool(row.reject_reason), bool(row.reject_detail))
            assert said == (is_reject, is_reject), (format_id, row, value)
            # the first half of an update, which waits for the second, has no type of its own
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
    # in a document's text, or as a value that the dialect does not write so but says clearly
    deep = {**ROW, "name": json.loads(nested(DEEP))}
    if format_id not in BINARY:
        values += WRITERS[format_id]("insert", None, deep)
    found = outcomes(spark, parsers[format_id], values)
    assert [[row.outcome for row in rows] for rows in found] == [["events"]] * len(values)


@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - set(BINARY)))
def test_what_is_cut_or_beyond_the_limits_is_a_reject(
    spark: Any, parsers: Any, format_id: str
) -> None:
    values: list[tuple[Any, Any]] = []
    for key, value in messages(format_id):
        text = json.dumps(value).encode()
        values += [(key, text[:end]) for end in range(0, len(text), len(text) // CUTS)]
        # GoldenGate's messages have several documents
        again = text if format_id != "ogg_json" else text[:-1]
        values += [(key, text + more) for more in (b"}", b"x", b"{}", b",", again, b"\0", b"\xff")]
    ((key, value),) = WRITERS[format_id]("insert", None, {**ROW, "name": "deep"})
    text = json.dumps(value)
    if format_id not in DOCUMENTS:
        values += [(key, text.replace("deep", one).encode()) for one in HALVES]
    # also within a text that is JSON itself
    for quote in ('"', '\\"'):
        deep = nested(TOO_DEEP).replace('"', quote)
        text = text.replace(f"{quote}deep{quote}", deep)
    values.append((key, text.encode()))
    found = outcomes(spark, parsers[format_id], values)
    check(format_id, values, found)
    assert {row.outcome for rows in found for row in rows} == {"rejected"}


@pytest.mark.parametrize("format_id", BINARY)
def test_each_beginning_of_an_avro_message_is_a_reject(
    spark: Any, parsers: Any, format_id: str
) -> None:
    whole = list(messages(format_id))
    values = [(key, value[:end]) for key, value in whole for end in range(len(value))]
    found = outcomes(spark, parsers[format_id], values)
    check(format_id, values, found)
    taken = [pair for pair, rows in zip(values, found, strict=True) if rows[0].outcome == "events"]
    # DTS's older producers end before the record's last field
    last = len(encode("long", MILLIS))
    older = [(key, value[:-last]) for key, value in whole if format_id == "dts_avro"]
    assert taken == older


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the path of each field and entry of a message."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for name, below in pairs:
        yield (*path, name)
        if isinstance(below, dict | list):
            yield from places(below, (*path, name))


def altered(value: Any) -> Iterator[Any]:
    """Give a message without each of its fields, and with each other value there."""
    for path in places(value):
        for other in (..., *OTHERS):
            draft = copy.deepcopy(value)
            holder = draft
            for name in path[:-1]:
                holder = holder[name]
            if other is ...:
                del holder[path[-1]]
            else:
                holder[path[-1]] = other
            yield draft


@pytest.mark.parametrize("format_id", sorted(WRITERS))
def test_what_is_altered_is_counted_out(spark: Any, parsers: Any, format_id: str) -> None:
    chance = random.Random(1)
    values: list[tuple[Any, Any]] = []
    for key, value in messages(format_id):
        if format_id in BINARY:
            text = value
        else:
            values += [(key, other) for other in altered(value)]
            text = json.dumps(value).encode()
        for _ in range(FLIPS):
            draft = bytearray(text)
            for _ in range(chance.randint(1, 3)):
                draft[chance.randrange(len(draft))] = chance.randrange(256)
            values.append((key, bytes(draft)))
    check(format_id, values, outcomes(spark, parsers[format_id], values))


@pytest.mark.parametrize("value", [None, [], "x", {}, {"id": None}, {"id": [1]}, 5])
def test_any_key_of_kafka_is_taken(spark: Any, parsers: Any, value: Any) -> None:
    key = json.dumps(value).encode()
    given = [(one, message) for _, message in messages("debezium") for one in (key, key[:-1])]
    check("debezium", given, outcomes(spark, parsers["debezium"], given))


@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - set(BINARY)))
def test_what_is_nearly_json_is_a_reject(spark: Any, parsers: Any, format_id: str) -> None:
    ((key, value),) = WRITERS[format_id]("insert", None, {**ROW, "name": "plain"})
    assert isinstance(value, dict)
    text = json.dumps(value)
    values: list[tuple[Any, Any]] = [(key, text.replace("'", "").replace('"', "'").encode())]
    for other in ("007", "1.", "1.2.3", "2026-03-01", "1e", "+1", "NaN", "0x1", "undefined"):
        values.append((key, f'{text[:-1]}, "more": {other}}}'.encode()))
    for path in places(value):
        for other in ({"a": 1}, ["x"], []):
            draft = copy.deepcopy(value)
            holder = draft
            for name in path[:-1]:
                holder = holder[name]
            if holder[path[-1]] in ("orders", "shop.orders"):
                holder[path[-1]] = other
                values.append((key, draft))
    assert len(values) >= 13
    found = outcomes(spark, parsers[format_id], values)
    check(format_id, values, found)
    taken = [pair for pair, rows in zip(values, found, strict=True) if rows[0].outcome == "events"]
    assert taken == []


@pytest.mark.parametrize("format_id", BARE_NUMBERS)
def test_bare_numbers_are_exact(spark: Any, parsers: Any, format_id: str) -> None:
    numbers = (
        "1.4E+23", "2E+23", "-2e+23", "12345678901234567890.5", "0.1234567890123456789",
        "12345678901234567890123456789012345678", "1.10", "-0.5", "1E-7", "123456789012345.6E+3",
        # more than Jackson reads as a number
        "9" * 1100, "-0." + "7" * 1100,
    )  # fmt: skip
    unsigned = ("2E23", "-2e23", "1e400")
    rows = []
    for number in numbers + unsigned:
        ((key, value),) = WRITERS[format_id]("insert", None, {"id": "1", "name": "number"})
        text = json.dumps(value).replace('"number"', number)
        rows.append((len(rows), as_bytes(key), as_bytes(text.encode())))
    events = parsed(spark, parsers[format_id], rows).orderBy("kafka_offset")
    found = [row.after["name"] for row in events.select("after").collect()]
    if format_id in BY_DOUBLE:
        found, rounded = found[: len(numbers)], found[len(numbers) :]
        assert rounded == ["1.9999999999999998E23", "-1.9999999999999998E23", '"Infinity"']
    else:
        numbers += unsigned
    assert list(map(Decimal, found)) == list(map(Decimal, numbers))
