"""The messages of each dialect that several tests look at, parsed in one query per dialect."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from itertools import islice
from typing import Any

from contract_messages import CHANGES, LACKS, ROW, WRITERS, as_bytes
from parsers import parsed

BINARY = ("drs_avro", "dts_avro", "debezium_avro")
# Producers of these formats write numbers without quotes.
BARE_NUMBERS = (
    "canal", "cloudcanal_json", "dataworks_streamx", "dms_json", "ogg_json", "maxwell",
    "ticdc", "oceanbase_dataworks",
    "oceanbase_default", "oceanbase_default_extended", "oceanbase_shareplex",
)  # fmt: skip
# deeper than Spark reads
TOO_DEEP = 1100
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
# messages as keys and values, and for each the rows that it became
Outcomes = tuple[list[tuple[Any, Any]], list[list[Any]]]


def messages(format_id: str) -> Messages:
    """Return a dialect's messages for each change, as keys and values."""
    for messages_of_change in _messages_by_change(format_id).values():
        yield from messages_of_change


def changes_of_messages(format_id: str) -> list[str]:
    """Return for each of `messages()` its change."""
    by_change = _messages_by_change(format_id)
    return [change for change, messages in by_change.items() for _ in messages]


def _messages_by_change(format_id: str) -> dict[str, list[tuple[Any, Any]]]:
    return {
        change: list(WRITERS[format_id](change, before, after))
        for change, (before, after) in {**CHANGES, "ddl": (None, None)}.items()
        if change not in LACKS.get(format_id, ())
    }


def nested(depth: int) -> str:
    """Return JSON of this depth, of alternating lists and objects."""
    halves = depth // 2
    return '{"a":[' * halves + "]}" * halves


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


def beginnings(format_id: str) -> Messages:
    """Return every proper prefix of an Avro dialect's messages."""
    if format_id in BINARY:
        for key, value in messages(format_id):
            yield from ((key, value[:end]) for end in range(len(value)))


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


def odd_keys(format_id: str) -> Messages:
    """Return messages with Kafka keys that their producer would not write."""
    if format_id == "debezium":
        for key in (json.dumps(one).encode() for one in KEYS):
            yield from (
                (one, message) for _, message in messages(format_id) for one in (key, key[:-1])
            )


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


def bare_numbers(format_id: str) -> Messages:
    """Return messages with bare numbers in place of quoted values."""
    for number in (*NUMBERS, *UNSIGNED) if format_id in BARE_NUMBERS else ():
        ((key, value),) = WRITERS[format_id]("insert", None, {"id": "1", "name": "number"})
        yield key, json.dumps(value).replace('"number"', number).encode()


# In the order of their offsets: of the first, the query returns whole events.
KINDS: dict[str, Callable[[str], Messages]] = {
    one.__name__: one
    for one in (messages, cut, beginnings, altered, odd_keys, nearly_json, bare_numbers)
}


def outcomes(frame: Any, count: int) -> list[list[Any]]:
    """Return the rows that each of so many messages became."""
    found: list[list[Any]] = [[] for _ in range(count)]
    for row in frame.collect():
        found[row.kafka_offset].append(row)
    return found


def with_outcome(spark: Any, parser: str, values: list[tuple[Any, Any]], whole: int = 0) -> Any:
    """Return what a parser makes of messages: event_type, outcome, reason, detail and a name.

    Args:
        spark: the session.
        parser: its SQL.
        values: the messages, as keys and values.
        whole: of so many of the messages also the whole event.
    """
    rows = [(number, as_bytes(key), as_bytes(value)) for number, (key, value) in enumerate(values)]
    return parsed(spark, parser, rows).selectExpr(
        "kafka_offset", "event_type", "outcome", "reject_reason", "reject_detail",
        "after['name'] as name",
        f"if(kafka_offset < {whole}, struct(*), null) as event",
        # A table of events has all columns, so all of them must be computed.
        "to_json(struct(*)) is not null as is_computed",
    )  # fmt: skip


class ParsedMessages:
    """What the parsers make of the messages.

    All messages of a dialect are parsed in one query: planning a parser takes a second.
    """

    def __init__(self, spark: Any, parsers: dict[str, str]) -> None:
        self._spark, self._parsers = spark, parsers
        self._kinds: dict[str, dict[str, Outcomes]] = {}
        self._plans: dict[str, str] = {}

    def of(self, format_id: str, kind: str) -> Outcomes:
        """Return a dialect's messages of a kind, one of KINDS, and the rows that each became."""
        return self._parsed(format_id)[kind]

    def plan(self, format_id: str) -> str:
        """Return the physical plan of the query."""
        self._parsed(format_id)
        return self._plans[format_id]

    def _parsed(self, format_id: str) -> dict[str, Outcomes]:
        if format_id not in self._kinds:
            given = {name: list(give(format_id)) for name, give in KINDS.items()}
            values = [one for some in given.values() for one in some]
            parser, whole = self._parsers[format_id], len(given["messages"])
            frame = with_outcome(self._spark, parser, values, whole)
            with redirect_stdout(StringIO()) as plan:
                frame.explain(mode="formatted")
            self._plans[format_id] = plan.getvalue()
            rows = iter(outcomes(frame, len(values)))
            self._kinds[format_id] = {
                name: (some, list(islice(rows, len(some)))) for name, some in given.items()
            }
        return self._kinds[format_id]
