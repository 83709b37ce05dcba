"""The source tables of test_state.py, and their changes.

Each case is one table. Its function changes the table and yields, after which its changes are
landed and built as one batch. All tables share the builds, since these take the time.
"""

import base64
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import odd_names as names_of_any_kind
from changelake.core.feeds import Feed
from streams import PLACEHOLDER, Bad, Message, Row, Sharded, Source, work

Steps = Iterator[None]
UNKNOWN = "(no value has come)"
FORMATS = ("canal", "debezium")
FEEDS = [Feed(f"state_{one}", one, (one,)) for one in FORMATS]
MOST = str(2**64 - 1)


def complete_images(t: Source) -> Steps:
    t.insert(*({"id": str(n), "name": f"n{n}", "price": f"{n}.10"} for n in range(1, 13)))
    t.insert({"id": MOST, "name": "华为 '\" \\ 🙂\n", "price": "-99999999.99"})
    t.update(("1", {"id": "2"}), ("2", {"id": "1"}))  # swapped keys
    t.update(("3", {"id": "33"}))
    t.update(("4", {"id": "5"}), ("5", {"id": "6"}), ("6", {"id": "66"}))  # a shift by one
    t.delete("7")
    t.insert({"id": "7", "name": "again"})
    t.update(("8", {"name": None}), ("9", {"name": ""}))
    t.delete("11")
    yield
    t.update((MOST, {"id": str(2**63)}))
    t.update(("10", {"id": "110"}), ("8", {"name": "back"}))
    t.delete("1", "2")
    t.update(("12", {"price": Bad("123456789.123")}))
    t.insert({"id": "11", "name": "back", "price": "0.00"}, code="INIT")
    t.resend()
    t.update(("110", {"id": "10"}), ("12", {"name": "renamed"}))
    t.update(("9", {"id": "99"}))  # One half of a swap; the other half comes in the next batch.
    t.insert({"id": "1", "name": "new", "price": Bad("x")})
    t.delete("33")
    t.resend(-1)
    yield
    t.update(("12", {"price": "5.00"}), ("1", {"price": None}))
    t.update(("10", {"id": "9"}))
    t.update(("99", {"id": "10"}))
    t.resend()
    yield


def swapped_apart(t: Source) -> Steps:
    """Rows swap keys at the same moment in separate messages, in one batch and in two."""
    t.insert(*({"id": str(n), "v": f"v{n}"} for n in range(1, 13)))
    t.update(("1", {"id": "2"}), ("2", {"id": "1"}), apart=True)
    t.update(("3", {"id": "4"}), ("4", {"id": "5"}), ("5", {"id": "3"}), apart=True)
    # A row that moves on to other keys stays one row, even if another value changes on the way.
    for change in (("6", {"id": "60"}), ("7", {"id": "6"}), ("60", {"id": "7"})):
        t.update(change)
        t.clock -= 1
    for change in (("9", {"id": "90"}), ("90", {"v": "x"}), ("90", {"id": "91"})):
        t.update(change)
        t.clock -= 1
    t.clock += 1
    t.insert({"id": "13", "v": "a"})
    # A column is missing and keeps its value: from now on the table's images can be partial.
    t.clock += 1
    t.canal("UPDATE", [{"id": "13"}], [{"id": "13"}], 0)
    yield
    # Also one row: it came in the last run, then changes and leaves its key at the same moment.
    for change in (("13", {"v": "b"}), ("13", {"id": "14"})):
        t.clock -= 1
        t.update(change)
    t.clock += 1
    t.update(("12", {"id": "2"}), ("2", {"id": "12"}), apart=True)
    t.resend(-5)
    t.resend(-1)
    t.update(("10", {"id": "11"}), ("11", {"id": "10"}), apart=True)
    rows, later = t.rows, t.pending.pop()
    t.rows = [row for row in rows if row["id"] != "10"]
    yield
    t.rows = rows
    t.pending.append(later)
    t.update(("1", {"v": "a"}), ("11", {"v": "b"}))
    yield


def swapped_apart_again(t: Source) -> Steps:
    """Everything in one batch, and part of it again in the next."""
    for _ in swapped_apart(t):
        pass
    yield
    t.resend(1)
    t.delete("2", "10")
    yield


def keys_of_texts(t: Source) -> Steps:
    keys = [
        ("a", "1:b"), ("a1", ":b"), ("a", "b"), ("a1:b", ""), ("", "a1:b"), ("", ""), (None, ""),
        ("", None), (None, None), ("~", None), (None, "~"), ("~", "~"), ("A", "b"), ("a ", "b"),
        (" ", ""), ("1:", "b"), ("🙂", "\0"), ("🙂\0", ""), ("'", "\\"), ("\\", "'"),
    ]  # fmt: skip
    t.insert(*({"a": a, "b": b, "v": f"{a!r} {b!r}"} for a, b in keys))
    yield
    t.update(*((key, {"v": f"new {key}"}) for key in keys[:16:2]))
    t.delete(*keys[1:16:4])
    t.update(((None, None), {"a": "x"}), (("~", "~"), {"b": None, "a": None}))
    yield


def keys_of_every_type(t: Source) -> Steps:
    one = {
        "u": MOST, "d": "1.10", "b": "\xff\x00é", "t": "2026-03-01 08:00:00.000001",
        "s": "x", "v": "1",
    }  # fmt: skip
    others: list[Row] = [
        {"u": str(2**63)}, {"u": "1"}, {"u": "11"}, {"d": "1.11"}, {"d": "-1.10"},
        {"b": "\xff\x00"}, {"b": ""}, {"t": "2026-03-01 08:00:00.000002"}, {"s": "X"}, {"s": "x "},
        {"s": "x\0"}, {"s": "🙂"}, {"d": Bad("1.234")}, {"d": Bad("1.235")},
        {"t": Bad("0000-00-00 00:00:00")},
    ]  # fmt: skip
    t.insert(one, *({**one, **other} for other in others))
    yield
    for row in list(t.rows):
        t.update((dict(row), {"v": "2"}))
    # Another spelling of the same key is the same row.
    spelled = {"d": "1.1000", "u": "0" + MOST, "t": "2026-03-01T08:00:00.000001"}
    t.update((one | {"v": "2"}, {"v": "3"}), spelled=spelled)
    t.delete({**one, **others[3], "v": "2"}, {**one, **others[12], "v": "2"})
    yield


def keys_without_case(t: Source) -> Steps:
    t.insert({"id": "Ab", "v": "1"}, {"id": "b", "v": "1"}, {"id": "ß ", "v": "1"})
    yield
    # To the source this is the same row.
    t.rows.pop(0)
    t.insert({"id": "AB", "v": "2"})
    t.update(("b", {"id": "B", "v": "2"}))
    yield
    t.delete("AB")
    t.insert({"id": "aB", "v": "3"})
    t.delete("B")
    yield


def tombstones_ended(t: Source) -> Steps:
    t.insert(*({"id": str(n), "v": "1"} for n in range(1, 6)))
    t.delete("1")
    yield
    t.delete("2")
    yield
    t.delete("3")
    t.update(("4", {"v": "2"}))
    yield


def emptied(t: Source) -> Steps:
    t.insert({"id": "1", "v": "a"}, {"id": "2", "v": "a"})
    t.empty()
    t.insert({"id": "2", "v": "b"}, {"id": "3", "v": "b"})
    yield
    t.empty("drop")
    yield
    t.insert({"id": "3", "v": "c"}, {"id": "4", "v": "d"})
    t.update(("4", {"v": "e"}))
    t.insert({"id": "1", "v": "e"})
    yield


def emptied_beside(t: Source) -> Steps:
    """When one shard is truncated, the versions of the others are computed again."""
    t.insert({"id": "1", "v": "a"})
    yield
    t.empty()
    yield
    t.insert({"id": "1", "v": "b"})
    t.empty()
    yield


def emptied_before_a_late_partition(t: Source) -> Steps:
    """A lagging partition brings rows that the table had before it was emptied."""
    for n in range(10, 14):
        t.insert({"id": str(n), "v": "a"})
    t.hold.add(1)
    t.empty()
    t.insert({"id": "10", "v": "b"})
    yield
    t.hold.clear()
    t.insert({"id": "13", "v": "c"})
    yield


def without_key(t: Source) -> Steps:
    row = {name: name for name in t.columns}
    other = {**row, "c9": None}
    t.insert(row, row, other)
    t.insert(row)
    t.update((row, {"c1": "x"}))
    t.delete(other)
    yield
    t.delete(row)
    t.insert(other, other, {name: None for name in t.columns})
    t.update(({**row, "c1": "x"}, {"c1": "c1"}))
    t.delete(row)
    t.delete(row)
    t.update((other, {"c9": "y"}), (other, {"c9": "y"}))
    yield
    t.insert(row, row)
    t.empty()
    t.insert(row, other)
    yield


def without_key_emptied_late(t: Source) -> Steps:
    """A truncation arrives after rows from another partition that were inserted after it."""
    zero, one = {"id": "1", "v": "a"}, {"id": "2", "v": "a"}
    assert [t.partition_of(row) for row in (zero, one)] == [0, 1]
    t.insert(zero)
    t.insert(one)
    yield
    t.hold.add(0)
    t.empty()
    t.insert(one)
    t.checked = False
    yield
    t.hold.clear()
    t.checked = True
    yield


def flattened_across_partitions(t: Source) -> Steps:
    """Rows have neither a position nor a time of their own, so Kafka's timestamp decides."""

    def say(partition: int, op: str, row: Row) -> None:
        deleted = "true" if op == "d" else "false"
        value = {**row, "__deleted": deleted, "__op": op, "__table": t.name, "__db": "st"}
        key = json.dumps({"id": row["id"]}).encode()
        t.pending.append(Message(partition, key, json.dumps(value).encode()))

    t.rows = [{"id": n, "name": "a"} for n in range(5)]
    for row in t.rows:
        say(0, "c", row)
    yield
    t.rows = [*t.rows[:3], {"id": 3, "name": "b"}]
    say(1, "u", t.rows[3])
    say(1, "d", {"id": 4, "name": "a"})
    yield


def _send_typed(t: Source, row: dict[str, tuple[Any, Any]], due: Sequence[str]) -> None:
    """Send a new row, with the type of each value in the schema part.

    Args:
        t: the table.
        row: by column, its type and its value.
        due: the expected row.
    """
    id_ = len(t.rows) + 1
    t.debezium("c", None, {"id": id_, **{name: value for name, (_, value) in row.items()}}, 0)
    message = t.pending.pop()
    fields = [{"field": "id", "type": "int64"}]
    fields += [{"field": name, **kind} for name, (kind, _) in row.items()]
    schema = {"type": "struct", "fields": [{"field": "after", "fields": fields}]}
    value = json.dumps({"schema": schema, "payload": json.loads(message.value or b"")})
    t.pending.append(Message(0, message.key, value.encode()))
    t.rows.append({"id": id_, **dict(zip(row, due, strict=True))})


def altered_types(t: Source) -> Steps:
    """Types change from message to message: another scale, another unit, another type."""
    plain = {"type": "int32"}
    text = {"type": "string"}
    date = {"type": "int32", "name": "io.debezium.time.Date"}
    millis = {"type": "int64", "name": "io.debezium.time.Timestamp"}
    micros = {"type": "int64", "name": "io.debezium.time.MicroTimestamp"}
    zoned = {"type": "string", "name": "io.debezium.time.ZonedTimestamp"}
    source = {"__debezium.source.column.type": "BIGINT UNSIGNED"}
    unsigned = {"type": "int64", "parameters": source}

    def decimal(scale: int) -> dict[str, Any]:
        name = "org.apache.kafka.connect.data.Decimal"
        return {"type": "bytes", "name": name, "parameters": {"scale": str(scale)}}

    bits = {
        "type": "bytes", "name": "io.debezium.data.Bits", "parameters": {"length": "16"},
    }  # fmt: skip
    # Digits and letters alone are Base64 too.
    flags = iter([
        ((bits, "AAQ="), "1024"), ((plain, 1024), "1024"), (({"type": "boolean"}, True), "1"),
        ((plain, -5), "-5"), ((decimal(0), _base64(1024)), "1024"), ((text, "true"), Bad("true.")),
        ((unsigned, 1234), "1234"),
    ])  # fmt: skip
    # bigint.unsigned.handling.mode
    bigs = iter([
        ((unsigned, 5), "5"), ((unsigned, -1), f"{2**64 - 1}"), ((decimal(0), _base64(5)), "5"),
        ((decimal(0), "AP//////////"), f"{2**64 - 1}"), ((decimal(2), _base64(500)), "5"),
        ((decimal(2), _base64(501)), Bad("5.01")), ((plain, 7), "7"),
    ])  # fmt: skip

    # Oracle's NumberOneToBooleanConverter, with NUMBER(1) of a schema file.
    boolean = {"type": "boolean"}
    ones = iter([
        ((boolean, True), "1"), ((boolean, False), "0"), ((plain, 1), "1"), ((boolean, False), "0"),
        ((text, "true"), Bad("true")), ((decimal(0), _base64(0)), "0"), ((boolean, True), "1"),
    ])  # fmt: skip

    def say(amount: Any, at: Any, count: Any, note: Any, due: Sequence[str]) -> None:
        # With decimal.format=NUMERIC, digits alone are not Base64.
        row = {"amount": amount, "at": at, "count": count, "note": note, "size": (decimal(0), 1234)}
        row["flags"], number = next(flags)
        row["big"], big = next(bigs)
        row["one"], is_one = next(ones)
        _send_typed(t, row, (*due, "1234", number, big, is_one))

    moment = "2026-03-01 08:00:00"
    say((decimal(2), _base64(125)), (millis, 1_772_352_000_123), (plain, 7), (text, "20000"),
        ("1.25", f"{moment}.123", "7", "20000"))  # fmt: skip
    yield
    say((decimal(4), _base64(-12500)), (micros, 1_772_352_000_123_456), (decimal(2), _base64(700)),
        (date, 20000), ("-1.25", f"{moment}.123456", "7", "2024-10-04"))  # fmt: skip
    say((decimal(4), _base64(12345)), (micros, -1), (decimal(1), _base64(75)),
        (decimal(1), _base64(70)),
        (Bad("1.2345"), "1969-12-31 23:59:59.999999", Bad("7.5"), "7.0"))  # fmt: skip
    say((decimal(0), _base64(3)), (micros, 253_402_300_800_000_000), (plain, 1), (plain, 1234),
        ("3.00", Bad("253402300800000000 epoch_micros"), "1", "1234"))  # fmt: skip
    # Digits alone could be Base64, too, and a number of days could be one of milliseconds.
    say((plain, 1234), (date, 20000), (text, "5"), (micros, 1_772_352_000_000_000),
        ("1234.00", "2024-10-04 00:00:00", "5", moment))  # fmt: skip
    say((text, "1.5"), (zoned, "2026-03-01T08:00:00Z"), (plain, -1), ({"type": "bytes"}, "YWJj"),
        ("1.50", moment, "-1", "abc"))  # fmt: skip
    say((unsigned, 1234), (millis, 1_772_352_000_000), (unsigned, 8), (unsigned, -1),
        ("1234.00", moment, "8", "18446744073709551615"))  # fmt: skip
    yield


def _base64(number: int) -> str:
    return base64.b64encode(number.to_bytes(4, "big", signed=True)).decode()


class Listed(list[Any]):
    """A list as Debezium sends it; its text is that of the resulting list."""

    def __init__(self, sent: Sequence[Any], text: str) -> None:
        super().__init__(sent)
        self._text = text

    def __str__(self) -> str:
        return self._text


class Document(str):
    """A JSON text as sent; its text is that of the result, with sorted keys."""

    def __str__(self) -> str:
        return json.dumps(json.loads(self[:]), separators=(",", ":"), sort_keys=True)


class Place(dict[str, Any]):
    """A spatial value as sent; its text is that of the result, with the bytes as text."""

    def __str__(self) -> str:
        return f"{{{self['srid'] or 0}, {base64.b64decode(self['wkb']).decode()}}}"


class Mapped(dict[str, Any]):
    """A map as sent; its text is that of the result."""

    def __str__(self) -> str:
        inner = ", ".join(f"{key} -> {'null' if one is None else one}" for key, one in self.items())
        return f"{{{inner}}}"


LISTS = {
    "id": "int64", "amounts": "array<org.apache.kafka.connect.data.Decimal:scale=2,precision=10>",
    "days": "array<io.debezium.time.Date>", "words": "array<string>", "tags": "map",
    "doc": "io.debezium.data.Json", "place": "io.debezium.data.geometry.Geometry",
}  # fmt: skip
CHOSEN = [
    ("'doc': 'string'", "'doc': 'variant'"),
    ("'place': 'string'", "'place': 'struct<srid:int,wkb:binary>'"),
]


def lists(t: Source) -> Steps:
    """Lists and maps as values: in changes, in partial images, and in rows without a key."""
    one: Row = {
        "id": 1, "amounts": Listed(["bg==", None, "/w=="], "[1.10, null, -0.01]"),
        "days": Listed([-719162, 2932896], "[0001-01-01, 9999-12-31]"),
        "words": Listed(["a, b", "null", None, ""], "[a, b, null, null, ]"),
        "tags": Mapped({"a": "1", "b": None}), "doc": Document('{"b": [1.50, null], "a": "1.10"}'),
        "place": Place(wkb="YWJj", srid=4326),
    }  # fmt: skip
    empty = Listed([], "[]")
    others: list[Row] = [
        {"id": 2, "words": Listed(["a", "b", "null", None, ""], "[a, b, null, null, ]")},
        {"id": 3, "amounts": empty, "days": empty, "words": empty, "tags": Mapped()},
        {"id": 4, **dict.fromkeys(LISTS.keys() - {"id"})},
        {"id": 5, "amounts": Listed(["bg==", "?"], '["bg==","?"]'),
         "days": Listed([0, 2932897], "[0,2932897]"), "doc": Bad("{"),
         "place": Place(wkb="YWI=", srid=None)},
    ]  # fmt: skip
    others += [{"id": id_} for id_ in (6, 7, 8)]
    t.insert(one, *({**one, **other} for other in others))
    yield

    def change(row: Row, values: Row, absent: tuple[str, ...] = ()) -> None:
        t.update((row["id"] if t.key else dict(row), values), absent=absent)

    rows = {row["id"]: row for row in t.rows}
    change(rows[1], {"words": Listed(["a, b"], "[a, b]")})
    change(rows[2], {"tags": Mapped({"a": "2"})})
    change(rows[3], {"amounts": Listed(["gA=="], "[-1.28]")}, PARTLY if t.key else ())
    change(
        rows[4],
        {
            "days": Listed([0], "[1970-01-01]"),
            "tags": Mapped({"": "x"}),
            "doc": Document("{}"),
            "place": Place(wkb="", srid=1),
        },
    )
    change(rows[5], {"amounts": empty, "days": Listed([None], "[null]")})
    # no change
    change(rows[6], {"words": Listed(one["words"], str(one["words"])), "tags": Mapped(one["tags"])})
    change(rows[7], {"id": 70})
    t.delete(8 if t.key else dict(rows[8]))
    yield


PARTLY = ("words", "tags", "doc", "place")


def altered_lists(t: Source) -> Steps:
    """A list's elements or a bit string's length differ from the declaration."""
    date = {"type": "int32", "name": "io.debezium.time.Date"}
    text = {"type": "string"}

    def decimal(scale: int) -> dict[str, Any]:
        name = "org.apache.kafka.connect.data.Decimal"
        return {"type": "bytes", "name": name, "parameters": {"scale": str(scale)}}

    def say(amounts: Any, days: Any, bits: Any, due: Sequence[str]) -> None:
        lists = {
            name: ({"type": "array", "items": items}, values)
            for name, (items, values) in {"amounts": amounts, "days": days}.items()
        }
        kind, value = bits
        if isinstance(kind, int):
            length = {"length": str(kind)}
            kind = {"type": "bytes", "name": "io.debezium.data.Bits", "parameters": length}
        _send_typed(t, {**lists, "bits": (kind, value)}, due)

    say((decimal(2), [_base64(125), None]), (date, [0]), (5, "Bg=="),
        ("[1.25, null]", "[1970-01-01]", "00110"))  # fmt: skip
    yield
    say((decimal(4), [_base64(-12500), None]), (text, ["2026-03-01"]), (8, "Bg=="),
        ("[-1.25, null]", "[2026-03-01]", "00000110"))  # fmt: skip
    say((decimal(4), [_base64(12345)]), (date, []), (3, ""),
        ('["1.2345"]', "[]", "000"))  # fmt: skip
    say((text, ["1.50", "7"]), (date, None), (9, "AQE="),
        ("[1.50, 7.00]", "", "100000001"))  # fmt: skip
    t.rows[-1]["days"] = None
    for kind, value, due in (("int32", 1024, "1024"), ("boolean", True, "1"), ("string", "B", "B")):
        say((decimal(2), []), (date, []), ({"type": kind}, value), ("[]", "[]", due))
    yield


def altered_labels(t: Source) -> Steps:
    t.canal("INSERT", [{"id": "1", "kind": "2"}], None, 0)
    t.rows.append({"id": "1", "kind": "b"})
    yield
    t.columns["kind"] = "enum('a','c','b')"
    t.canal("INSERT", [{"id": "2", "kind": "2"}, {"id": "3", "kind": "3"}], None, 0)
    t.rows += [{"id": "2", "kind": "c"}, {"id": "3", "kind": "b"}]
    yield
    # as written in a statement
    t.columns["kind"] = "ENUM('d', 'a', 'B, (b')  CHARACTER SET utf8mb4"
    t.canal("INSERT", [{"id": "4", "kind": "1"}, {"id": "5", "kind": "3"}], None, 0)
    t.rows += [{"id": "4", "kind": "d"}, {"id": "5", "kind": "B, (b"}]
    yield


def types_that_are_none(t: Source) -> Steps:
    """A message's types can be anything; its values are then read as declared."""
    columns = t.columns
    nested: Any = "x"
    for _ in range(500):
        nested = [nested]
    t.canal("INSERT", [{"id": "1", "kind": "1"}], None, 0)
    t.rows.append({"id": "1", "kind": "a"})
    yield
    texts = [5, None, [], {"kind": None}, {"kind": 5}, {"kind": {}}, {"kind": ["x", None]}, nested]
    for number, t.columns in enumerate(texts, start=2):
        t.canal("INSERT", [{"id": str(number), "kind": "2"}], None, 0)
        t.rows.append({"id": str(number), "kind": "b"})
    t.columns = columns
    yield


ODD = [
    "id no", "a b", "a.b", "a`b", 'a"b', "a'b", "a,b", "名", "Name", "name", "select", "#no",
    "_feed", "_KEY", "a\\b", "{{ x }}", "old", "image", "a;b", "a(b)", "a=b", "_value_1", "%s",
    "is_late", "first_offset", "later_rows",
]  # fmt: skip


def odd_names(t: Source) -> Steps:
    t.insert({name: f"1 {name}" for name in ODD}, {name: f"2 {name}" for name in ODD})
    yield
    t.update(("1 id no", {name: f"new {name}" for name in ODD[1:]}))
    t.insert({name: f"3 {name}" for name in ODD})
    yield
    t.columns["added, later"] = "varchar(9)"
    for row in t.rows:
        row["added, later"] = None
    t.onboarded = False
    t.update(("2 id no", {"added, later": "x", "Name": "N", "name": "n"}))
    t.delete("3 id no")
    yield


def any_names(t: Source) -> Steps:
    """Two hundred columns with names of any characters; three of them are the key."""
    names = list(t.columns)
    t.insert(*({name: f"{n} {place}" for place, name in enumerate(names)} for n in "123"))
    yield
    first = tuple(f"1 {names.index(name)}" for name in t.key)
    t.update(
        (first, {name: f"new {place}" for place, name in enumerate(names) if name not in t.key})
    )
    t.delete(tuple(f"2 {names.index(name)}" for name in t.key))
    yield


def across_partitions(t: Source) -> Steps:
    """Canal hashes messages by key, so a key change puts a key's events into two partitions."""
    t.insert({"id": "1", "v": "a"})
    t.insert({"id": "2", "v": "a"})
    t.update(("1", {"id": "11", "v": "b"}))  # partition of 11
    t.update(("2", {"id": "12", "v": "b"}))
    t.insert({"id": "1", "v": "c"})
    t.update(("11", {"id": "22", "v": "d"}))
    t.insert({"id": "11", "v": "e"})
    yield
    t.update(("22", {"id": "31", "v": "f"}))
    t.delete("1")
    t.insert({"id": "22", "v": "g"})
    yield
    # Key 5 moves from one partition to the other; then it comes and goes within one second.
    t.insert({"id": "4", "v": "a"})
    t.update(("4", {"id": "5", "v": "b"}))
    t.update(("5", {"id": "4", "v": "c"}))
    t.clock += 10
    t.insert({"id": "5", "v": "d"})
    t.clock -= 1
    t.delete("5")
    t.clock -= 1
    t.insert({"id": "5", "v": "e"})
    t.clock -= 1
    t.delete("5")
    yield


def same_moment(t: Source) -> Steps:
    """Rows swap keys, and each message is in the partition of its row's new key."""
    t.insert({"id": "1", "v": "a"})
    t.insert({"id": "2", "v": "b"})
    t.insert({"id": "4", "v": "filler"})
    t.insert({"id": "6", "v": "filler"})
    for one, other in (("1", "2"), ("2", "1")):
        before = next(row for row in t.rows if row["id"] == one and row["v"] in "ab")
        after = {**before, "id": other}
        t.clock += 1 if one == "1" else 0
        t.canal("UPDATE", [after], [{"id": one}], t.partition_of(after))
    t.rows[0]["id"], t.rows[1]["id"] = "2", "1"
    # Likewise, but the second message was captured later.
    t.insert({"id": "41", "v": "a"})
    t.insert({"id": "42", "v": "b"})
    t.clock += 1
    for row, key in zip(t.rows[-2:], ("42", "41"), strict=True):
        after = {**row, "id": key}
        t.canal("UPDATE", [after], [{"id": row["id"]}], t.partition_of(after))
        row["id"] = key
    late = json.loads(t.pending[-1].value or b"")
    t.pending[-1].value = json.dumps({**late, "ts": late["ts"] + 1}).encode()
    # A row leaves its key. In the same second, another row takes that key, in another partition
    # and in the next run.
    t.insert({"id": "8", "v": "a"})
    for n in range(11, 23, 2):
        t.insert({"id": str(n), "v": "filler"})
    t.update(("8", {"id": "33"}))
    yield
    t.clock -= 1
    t.insert({"id": "8", "v": "b"})
    yield


def parsed_again(t: Source) -> Steps:
    """An operation code that is not known yet causes rejects; later they become old events."""
    t.insert({"id": "1", "v": "a"}, code="PUT")
    t.insert({"id": "2", "v": "a"}, code="PUT")
    t.insert({"id": "3", "v": "a"}, code="PUT")
    t.rows.clear()
    t.insert({"id": "4", "v": "a"})
    t.insert({"id": "1", "v": "b"})
    t.insert({"id": "2", "v": "b"})
    t.delete("2")
    yield
    t.update(("4", {"v": "c"}))
    yield
    t.rows.append({"id": "3", "v": "a"})  # parsed again now
    yield


def debezium_parsed_again(t: Source) -> Steps:
    """A reject parsed again as an old change, along with a newer partial image, undoes nothing."""
    t.insert(*({"id": n, "name": "a", "note": "a"} for n in (1, 2, 3)))
    for key, absent in ((1, PLACEHOLDER), (2, ())):
        t.debezium("late_u", None, {"id": key, "name": "late", "note": "late"}, 0, absent)
    t.debezium("late_d", {"id": 3, "name": "a", "note": "a"}, None, 0)
    t.update((1, {"name": "b"}), absent=PLACEHOLDER)
    t.update((2, {"name": "b", "note": "b"}), (3, {"name": "b"}))
    yield
    t.update((1, {"note": "c"}), (2, {"note": "c"}), (3, {"note": "c"}), absent=("name",))
    yield
    t.update((1, {"note": "d"}), (2, {"note": "d"}), (3, {"note": "d"}), absent=("name",))
    yield  # parsed again now


def parsed_again_after_truncate(t: Source) -> Steps:
    t.insert({"id": "1", "v": "a"}, code="PUT")
    t.insert({"id": "2", "v": "a"})
    t.empty()
    t.insert({"id": "3", "v": "a"})
    t.insert({"id": "4", "v": "a"}, code="PUT")
    t.rows.pop()
    yield
    yield
    t.rows.append({"id": "4", "v": "a"})
    yield


def sharded(t: Source) -> Steps:
    """Two tables as one: the same key in both is two rows, and a truncation empties one of them."""
    assert isinstance(t, Sharded)
    one, two = "st.sharded_0", "st.sharded_17"
    t.insert(*({"shard": shard, "id": str(n), "v": "a"} for shard in (one, two) for n in range(3)))
    t.update(((one, "0"), {"v": "b"}), ((two, "0"), {"id": "9"}))
    yield
    t.empty_shard(two)
    t.insert({"shard": two, "id": "1", "v": "c"})
    yield
    t.empty_shard(one)
    t.insert({"shard": one, "id": "2", "v": "d"})
    t.update(((two, "1"), {"v": "e"}))
    yield


def renamed_column(t: Source) -> Steps:
    t.insert({"id": "1", "v": "a"}, {"id": "2", "v": "a"}, {"id": "3", "v": "a"})
    t.update(("1", {"v": "b"}))
    yield
    t.edits = [("'v': 'string'", "'v': {'type': 'string', 'source': ['title', 'v']}")]
    t.onboarded = False
    t.renamed = {"v": "title"}
    t.update(("1", {"v": "c"}), ("2", {"v": None}))
    t.insert({"id": "4", "v": "d"})
    yield


def masked_column(t: Source) -> Steps:
    t.insert({"id": "1", "v": "a", "w": "1"}, {"id": "2", "v": "华为", "w": None}, {"id": "4"})
    yield
    t.update(("1", {"v": "b", "w": "2"}), ("2", {"id": "3"}), ("4", {"v": "", "w": Bad("x")}))
    yield


def debezium_rows(t: Source) -> Steps:
    t.insert(*({"id": n, "name": f"n{n}", "note": f"long {n}"} for n in range(1, 8)))
    t.insert({"id": 8, "name": None, "note": None}, code="r")
    t.update((1, {"name": "x"}), absent=PLACEHOLDER)  # on a row of the batch
    t.update((2, {"note": "first"}))
    t.update((2, {"name": "y"}), absent=PLACEHOLDER)
    t.update((2, {"name": "z"}), absent=PLACEHOLDER)
    t.update((3, {"id": 30}))
    t.update((4, {"id": 40}))
    t.update((5, {"id": 4}))
    t.update((40, {"id": 5}))
    yield
    t.update((5, {"name": None}), absent=PLACEHOLDER)  # on a row of the state
    t.update((4, {"name": "only name"}), absent=PLACEHOLDER)
    t.update((4, {"note": "only note"}), absent=("name",))
    t.update((7, {"name": "a"}), absent=PLACEHOLDER)
    t.update((7, {"name": "b", "note": None}))
    t.update((7, {"name": "c"}), absent=PLACEHOLDER)
    t.update((8, {"name": "x"}), absent=("note",))
    t.delete(1)
    t.insert({"id": 1, "name": "again", "note": None})
    t.update((1, {"name": "once more"}), absent=PLACEHOLDER)
    t.update((30, {"id": 3}))
    t.update((6, {"id": 66}))  # one half of a swap
    t.delete(2)
    yield
    t.update((7, {"id": 6}))
    t.update((66, {"id": 7}))
    t.resend()
    yield


def debezium_positions(t: Source) -> Steps:
    """MySQL's positions decide across partitions; their numbers are compared as numbers."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"}, {"id": 2, "name": "a"})
    t.update((1, {"name": "b"}))
    yield
    t.position = ("binlog.000009", 5000)
    t.debezium("u", None, {"id": 1, "name": "late"}, 1 - t.partition_of({"id": 1}))
    t.position = ("binlog.000010", 4)
    t.update((1, {"name": "c"}))
    t.pending.reverse()
    t.clock -= 1000  # A transaction's events carry the time of its start.
    t.debezium("u", None, {"id": 2, "name": "d"}, 1 - t.partition_of({"id": 2}))
    t.find(2)["name"] = "d"
    yield
    t.position = ("binlog.000009", 7000)
    t.debezium("u", None, {"id": 1, "name": "later still"}, 1 - t.partition_of({"id": 1}))
    t.position = ("binlog.000100", 4)
    t.update((2, {"id": 3}))
    yield


def debezium_resent(t: Source) -> Steps:
    """Positions identify repeated changes: no row gets a version twice."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"}, {"id": 2, "name": "a"}, {"id": 3, "name": "a"})
    t.update((1, {"name": "b"}), (2, {"name": "b"}))
    t.update((1, {"name": "a"}))
    t.resend(1)
    t.delete(2)
    t.insert({"id": 2, "name": "c"})
    t.update((3, {"id": 4}))
    t.update((1, {"name": "d"}))
    # Rows of a second snapshot, and updates that change no declared column, begin no version.
    t.insert({"id": 9, "name": "a"}, code="r")
    t.update((4, {}))
    yield
    sent = len(t.log)
    t.resend(2, -1)
    t.checked = False
    yield
    t.resend(sent - 1, sent)
    t.rows.pop()
    t.insert({"id": 9, "name": "a"}, code="r")
    t.update((4, {}))
    t.checked = True
    yield


def debezium_failed_over(t: Source) -> Steps:
    """After a failover, positions start again."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"}, {"id": 2, "name": "c"}, {"id": 4, "name": "a"})
    t.update((1, {"name": "d"}))
    yield
    t.position = ("binlog.000001", 4)
    t.update((1, {"name": "e"}), (2, {"name": "e"}))
    t.delete(4)
    t.resend(-3)
    yield


def debezium_truncated_again(t: Source) -> Steps:
    """A truncation is repeated, with a row that was inserted after it."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"})
    yield
    t.empty()
    yield
    t.insert({"id": 9, "name": "a"})
    t.resend(-2)
    yield


def debezium_ended_again(t: Source) -> Steps:
    """A truncation is repeated with the row that it removed, in another batch and in the same."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"})
    yield
    t.insert({"id": 10, "name": "a"})
    t.empty()
    yield
    t.resend(-2)
    t.insert({"id": 11, "name": "a"})
    t.empty()
    t.resend(-2)
    yield


def debezium_emptied_unplaced(t: Source) -> Steps:
    """A batch without positions recomputes all versions; repeated changes still make none."""
    t.position = ("binlog.000009", 900)
    t.insert(*({"id": n, "name": "a"} for n in range(1, 5)))
    t.update((1, {"name": "b"}), (2, {"name": "b"}))
    t.update((1, {"name": "a"}))
    t.resend(1)
    yield
    t.position = None
    t.empty()
    yield


def debezium_lsn(t: Source) -> Steps:
    """SQL Server's positions are hexadecimal."""

    def change(lsn: str, name: str, partition: int) -> None:
        t.clock += 1
        t.debezium("u", None, {"id": 1, "name": name}, partition)
        value = t.pending[-1].value or b""
        named = f'"source": {{"commit_lsn": "{lsn}", "change_lsn": "{lsn}", '
        t.pending[-1].value = value.replace(b'"source": {', named.encode())

    change("00000027:0000000a:0001", "new", 0)
    change("00000027:00000009:0001", "old", 1)
    t.rows = [{"id": 1, "name": "new"}]
    yield
    change("00000027:00000010:0002", "newer", 1)
    change("00000027:0000000f:0002", "old", 0)
    t.rows = [{"id": 1, "name": "newer"}]
    yield


def debezium_emptied(t: Source) -> Steps:
    t.insert({"id": 1, "name": "a"}, {"id": 2, "name": "a"})
    yield
    t.insert({"id": 3, "name": "b"})
    t.empty()
    t.insert({"id": 2, "name": "c"})
    t.update((2, {"name": "d"}), absent=PLACEHOLDER)
    yield


def debezium_reborn(t: Source) -> Steps:
    """A partial image after a delete belongs to another row and takes nothing from the old one."""

    def reborn(key: int) -> None:
        # As in a key change onto this key, where PostgreSQL does not send unchanged large values.
        row = {"id": key, "name": "another", "note": None}
        t.debezium("u", None, row, t.partition_of(row), PLACEHOLDER)
        t.rows.append({**row, "note": UNKNOWN})

    t.insert(*({"id": n, "name": "a", "note": f"long {n}"} for n in (1, 2, 3, 4)))
    t.delete(1)
    reborn(1)
    t.delete(2)
    yield
    reborn(2)
    t.delete(3)
    reborn(3)
    t.delete(4)
    reborn(4)
    t.update((4, {"note": "known"}))
    yield
    t.update((3, {"note": "known"}))
    yield


def at_random(seed: int, batches: int) -> Callable[[Source], Steps]:
    """Return a case of random changes, reproducible by seed, in one to four batches."""

    def case(t: Source) -> Steps:
        chance = random.Random(seed)
        cuts = random.Random(batches)
        left = 160
        for stage in range(4 - batches, 4):
            steps = left if stage == 3 else cuts.randrange(left + 1)
            work(t, chance, steps)
            left -= steps
            yield

    return case


ROW = {"id": "bigint unsigned", "name": "varchar(40)", "price": "decimal(10,2)"}
TWO: dict[str, str | None] = {"id": "bigint", "v": "varchar(20)"}
DEBEZIUM: dict[str, str | None] = {"id": "int64", "name": "string", "note": "string"}
SHORT: dict[str, str | None] = {"id": "int64", "name": "string"}
THREE: dict[str, str | None] = {"id": "bigint", "name": "varchar(9)", "note": "varchar(40)"}
CASES: list[tuple[Callable[[Source], Steps], Source]] = [
    (complete_images, Source("complete_images", "canal", {**ROW}, ["id"])),
    (swapped_apart, Source("swapped_apart", "canal", {**TWO}, ["id"], joined="two")),
    (swapped_apart_again, Source("swapped_again", "canal", {**TWO}, ["id"], joined="two")),
    (keys_of_texts, Source("keys_of_texts", "canal",
        {"a": "varchar(9)", "b": "varchar(9)", "v": "varchar(40)"}, ["a", "b"])),
    (keys_of_every_type, Source("keys_of_every_type", "canal",
        {"u": "bigint unsigned", "d": "decimal(10,2)", "b": "varbinary(9)", "t": "datetime(6)",
         "s": "varchar(9)", "v": "int"}, ["u", "d", "b", "t", "s"])),
    (keys_without_case, Source("keys_without_case", "canal",
        {"id": "varchar(9)", "v": "int"}, ["id"],
        edits=[("'id': 'string'", "'id': {'type': 'string', 'ignore_case': true}")])),
    (tombstones_ended, Source("tombstones_ended", "canal", {**TWO}, ["id"],
        edits=[("'key': ['id'],", "'key': ['id'],\n        'tombstone_days': 0,")])),
    (emptied, Source("emptied", "canal", {**TWO}, ["id"])),
    (emptied_beside, Source("emptied_beside", "canal", {**TWO}, ["id"], joined="two")),
    (emptied_before_a_late_partition, Source(
        "emptied_late", "canal", {**TWO}, ["id"], 2, joined="two")),
    (without_key, Source("without_key", "canal",
        {f"c{n}": "varchar(9)" for n in range(1, 10)}, [])),
    (without_key_emptied_late, Source("bag_emptied_late", "canal", {**TWO}, [], 2)),
    (odd_names, Source("odd_names", "canal", dict.fromkeys(ODD, "varchar(40)"), ["id no"])),
    (any_names, Source("any_names", "canal",
        dict.fromkeys(names_of_any_kind.odd_names(200), "varchar(9)"),
        [*names_of_any_kind.FRAGMENTS[:2], ""])),
    (across_partitions, Source("across_partitions", "canal", {**TWO}, ["id"], 2, joined="two")),
    (same_moment, Source("same_moment", "canal", {**TWO}, ["id"], 2, joined="two")),
    (parsed_again, Source("parsed_again", "canal", {**TWO}, ["id"], joined="two")),
    (parsed_again_after_truncate, Source(
        "parsed_again_truncate", "canal", {**TWO}, ["id"], joined="two")),
    (sharded, Sharded("sharded", "canal",
        {"shard": None, "id": "bigint", "v": "varchar(20)"}, ["shard", "id"])),
    (renamed_column, Source("renamed_column", "canal", {**TWO}, ["id"])),
    (altered_labels, Source("altered_labels", "canal",
        {"id": "bigint", "kind": "enum('a','b')"}, ["id"])),
    (types_that_are_none, Source("types_that_are_none", "canal",
        {"id": "bigint", "kind": "enum('a','b')"}, ["id"])),
    (altered_types, Source("altered_types", "debezium",
        {"id": "int64", "amount": "org.apache.kafka.connect.data.Decimal:scale=2,precision=10",
         "at": "io.debezium.time.Timestamp", "count": "int32", "note": "string",
         "size": "org.apache.kafka.connect.data.Decimal:scale=0,precision=9",
         "flags": "io.debezium.data.Bits:length=16", "big": "int64 unsigned",
         "one": "boolean"}, ["id"],
        edits=[("'decimal(9,0) from base64_unscaled(0)'", "'decimal(9,0) from bare'"),
               ("'one': 'boolean'", "'one': 'decimal(1,0)'")])),
    (lists, Source("lists", "debezium", {**LISTS}, ["id"], source_type="postgresql", edits=CHOSEN)),
    (lists, Source(
        "lists_bag", "debezium", {**LISTS}, [], source_type="postgresql", edits=CHOSEN)),
    (altered_lists, Source("altered_lists", "debezium",
        {"id": "int64", "amounts": LISTS["amounts"], "days": LISTS["days"],
         "bits": "io.debezium.data.Bits:length=5"}, ["id"], source_type="postgresql",
        # Stays as declared, whatever comes.
        edits=[("'key': ['id'],", "'key': ['id'],\n        'evolve': 'off',")])),
    (masked_column, Source("masked_column", "canal", {**TWO, "w": "int"}, ["id"],
        masks={"v": "hash", "w": "null"},
        edits=[("'v': 'string'", "'v': {'type': 'string', 'mask': 'hash'}"),
               ("'w': 'int'", "'w': {'type': 'int', 'mask': 'null'}")])),
    (debezium_rows, Source(
        "debezium_rows", "debezium", {**DEBEZIUM}, ["id"], joined="debezium")),
    (debezium_positions, Source("debezium_positions", "debezium", {**SHORT}, ["id"], 2)),
    (flattened_across_partitions, Source(
        "flattened", "debezium", {**SHORT}, ["id"], 2)),
    (debezium_resent, Source("debezium_resent", "debezium", {**SHORT}, ["id"])),
    (debezium_emptied_unplaced, Source(
        "debezium_unplaced", "debezium", {**SHORT}, ["id"], 2)),
    (debezium_lsn, Source(
        "debezium_lsn", "debezium", {**SHORT}, ["id"], 2, "sqlserver", joined="placed")),
    (debezium_failed_over, Source(
        "failed_over", "debezium", {**SHORT}, ["id"], joined="placed")),
    (debezium_truncated_again, Source(
        "truncated_again", "debezium", {**SHORT}, ["id"], joined="placed")),
    (debezium_ended_again, Source(
        "ended_again", "debezium", {**SHORT}, ["id"], joined="placed")),
    (debezium_emptied, Source("debezium_emptied", "debezium", {**DEBEZIUM}, ["id"])),
    (debezium_parsed_again, Source(
        "debezium_parsed_again", "debezium", {**DEBEZIUM}, ["id"], joined="debezium")),
    (debezium_reborn, Source(
        "debezium_reborn", "debezium", {**DEBEZIUM}, ["id"], joined="debezium")),
    (at_random(1, 1), Source("random_canal_once", "canal", {**THREE}, ["id"])),
    (at_random(1, 3), Source("random_canal_parts", "canal", {**THREE}, ["id"], joined="three")),
    (at_random(2, 1), Source(
        "random_debezium_once", "debezium", {**DEBEZIUM}, ["id"], joined="debezium")),
    (at_random(2, 3), Source(
        "random_debezium_parts", "debezium", {**DEBEZIUM}, ["id"], joined="debezium")),
    (at_random(2, 3), Source("random_debezium_alone", "debezium", {**DEBEZIUM}, ["id"])),
    (at_random(4, 3), Source(
        "random_partitions", "canal", {**THREE}, ["id"], 3, joined="three")),
    (at_random(5, 2), Source("random_composite", "canal", {**THREE}, ["id", "name"])),
    (at_random(6, 2), Source(
        "random_null_keys", "debezium", {**DEBEZIUM}, ["name", "id"])),
    (at_random(3, 1), Source("random_bag_once", "canal", {"id": "int", "name": "varchar(9)"}, [])),
    (at_random(3, 3), Source("random_bag_parts", "canal", {"id": "int", "name": "varchar(9)"}, [])),
]  # fmt: skip
SOURCES = {source.name: source for _, source in CASES}
NAMES = list(SOURCES)
# `make test` leaves these to `make test-all`, since each table takes seconds: an option or a type
# that few changes affect, or another producer, order or seed.
THOROUGH = {
    "keys_of_every_type", "keys_without_case", "bag_emptied_late", "any_names", "sharded",
    "types_that_are_none", "debezium_emptied", "debezium_resent", "debezium_unplaced",
    "debezium_lsn", "failed_over", "truncated_again", "ended_again", "flattened", "renamed_column",
    "random_debezium_alone", "random_composite", "random_null_keys", "random_bag_once",
    "random_bag_parts", "lists_bag",
}  # fmt: skip
# For these it leaves out only the history.
THOROUGH_HISTORY = {
    "altered_lists", "altered_types", "debezium_positions", "masked_column", "random_canal_parts",
    "random_partitions", "without_key",
}  # fmt: skip
# For these the versions are checked, too; in some other cases the messages do not show which
# changes are repeated.
VERSIONS = [
    "keys_of_every_type", "emptied", "emptied_late", "across_partitions", "parsed_again",
    "parsed_again_truncate", "debezium_resent", "debezium_emptied", "debezium_unplaced",
    "random_debezium_once", "random_debezium_parts", "random_debezium_alone", "sharded",
    "emptied_beside", "renamed_column", "masked_column", "lists", "failed_over", "truncated_again",
    "ended_again",
]  # fmt: skip
HISTORY = [
    *VERSIONS, "debezium_rows", "keys_without_case", "complete_images", "without_key",
    "debezium_positions", "random_bag_parts", "same_moment", "debezium_lsn", "altered_types",
    "swapped_apart", "swapped_again", "random_canal_parts", "random_partitions",
    "random_composite", "odd_names", "lists_bag", "altered_lists",
]  # fmt: skip
