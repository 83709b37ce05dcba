"""Current tables against a model in plain Python: every case of a stream, in several batches.

Each case below is one table. Its function does something to the table, yields, and what it did is
landed and built as one batch; all tables share the builds, since these are what costs time.
"""

import base64
import datetime
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from rich.console import Console

from bronze_rows import BronzeRow, append_to_bronze, bronze_row
from changelake import settings
from changelake.bronze import ensure_bronze
from changelake.build import Build, NodeResult, build_news
from changelake.feeds import Feed
from changelake.model_files import column_names, write_history, write_table
from streams import PLACEHOLDER, Bad, Message, Row, Sharded, Source, work

pytestmark = pytest.mark.e2e

Rows = Counter[tuple[Any, ...]]
Steps = Iterator[None]
FORMATS = ("canal", "debezium")
FEEDS = [Feed(f"state_{one}", one, (one,)) for one in FORMATS]
MOST = str(2**64 - 1)
UNKNOWN = "(no value has come)"


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
    yield
    t.resend()
    t.update(("110", {"id": "10"}), ("12", {"name": "renamed"}))
    t.update(("9", {"id": "99"}))  # one half of a swap, the other comes with the next batch
    t.insert({"id": "1", "name": "new", "price": Bad("x")})
    t.delete("33")
    t.resend(-1)
    yield
    t.update(("12", {"price": "5.00"}), ("1", {"price": None}))
    t.update(("10", {"id": "9"}))
    t.update(("99", {"id": "10"}))
    t.resend()
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
    # another spelling of the same key is the same row
    spelled = {"d": "1.1000", "u": "0" + MOST, "t": "2026-03-01T08:00:00.000001"}
    t.update((one | {"v": "2"}, {"v": "3"}), spelled=spelled)
    t.delete({**one, **others[3], "v": "2"}, {**one, **others[12], "v": "2"})
    yield


def keys_without_case(t: Source) -> Steps:
    t.insert({"id": "Ab", "v": "1"}, {"id": "b", "v": "1"}, {"id": "ß ", "v": "1"})
    yield
    # to the source it is the row it has
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
    t.empty()
    yield
    t.insert({"id": "3", "v": "c"}, {"id": "4", "v": "c"})
    t.empty("drop")
    t.insert({"id": "4", "v": "d"})
    yield
    t.update(("4", {"v": "e"}))
    t.insert({"id": "1", "v": "e"})
    yield


def emptied_before_a_late_partition(t: Source) -> Steps:
    """A partition that lags brings rows which the table had before it was emptied."""
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
    yield
    t.delete(row)
    t.delete(row)
    t.update((other, {"c9": "y"}), (other, {"c9": "y"}))
    yield
    t.insert(row, row)
    t.empty()
    t.insert(row, other)
    yield


def without_key_emptied_late(t: Source) -> Steps:
    """A truncate that comes after rows of another partition, which the table got since it."""
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
    """Rows with neither a position nor a time of their own: that of Kafka decides."""

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


def altered_types(t: Source) -> Steps:
    """Each message says the scale of its decimals and the unit of its times."""

    def say(id_: int, amount: int, scale: int, at: int, unit: str) -> None:
        fields = [
            {"field": "id", "type": "int64"},
            {"field": "amount", "type": "bytes", "parameters": {"scale": str(scale)},
             "name": "org.apache.kafka.connect.data.Decimal"},
            {"field": "at", "type": "int64", "name": f"io.debezium.time.{unit}"},
        ]  # fmt: skip
        t._debezium("c", None, {"id": id_, "amount": _base64(amount), "at": at}, 0)
        message = t.pending.pop()
        schema = {"type": "struct", "fields": [{"field": "after", "fields": fields}]}
        value = json.dumps({"schema": schema, "payload": json.loads(message.value or b"")})
        t.pending.append(Message(0, message.key, value.encode()))

    say(1, 125, 2, 1_772_352_000_123, "Timestamp")
    t.rows.append({"id": 1, "amount": "1.25", "at": "2026-03-01 08:00:00.123"})
    yield
    say(2, -12500, 4, 1_772_352_000_123_456, "MicroTimestamp")
    say(3, 12345, 4, -1, "MicroTimestamp")
    say(4, 3, 0, 253_402_300_800_000_000, "MicroTimestamp")
    t.rows += [
        {"id": 2, "amount": "-1.25", "at": "2026-03-01 08:00:00.123456"},
        {"id": 3, "amount": Bad("1.2345"), "at": "1969-12-31 23:59:59.999999"},
        {"id": 4, "amount": "3.00", "at": Bad("253402300800000000 epoch_micros")},
    ]
    yield


def _base64(number: int) -> str:
    return base64.b64encode(number.to_bytes(4, "big", signed=True)).decode()


def altered_labels(t: Source) -> Steps:
    t._canal("INSERT", [{"id": "1", "kind": "2"}], None, 0)
    t.rows.append({"id": "1", "kind": "b"})
    yield
    t.columns["kind"] = "enum('a','c','b')"
    t._canal("INSERT", [{"id": "2", "kind": "2"}, {"id": "3", "kind": "3"}], None, 0)
    t.rows += [{"id": "2", "kind": "c"}, {"id": "3", "kind": "b"}]
    yield


ODD = [
    "id no", "a b", "a.b", "a`b", 'a"b', "a'b", "a,b", "名", "Name", "name", "select", "#no",
    "_feed", "_KEY", "a\\b", "{{ x }}", "old", "image", "a;b", "a(b)", "a=b", "_value_1", "%s",
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


def across_partitions(t: Source) -> Steps:
    """Canal's messages by the key's hash: a key change puts a key's events into two partitions."""
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
    # 5 goes from one partition to the other; then it comes and goes in one second
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
    """Rows swap their keys, and each one's message stands in the partition of its new key."""
    t.insert({"id": "1", "v": "a"})
    t.insert({"id": "2", "v": "b"})
    t.insert({"id": "4", "v": "filler"})
    t.insert({"id": "6", "v": "filler"})
    for one, other in (("1", "2"), ("2", "1")):
        before = next(row for row in t.rows if row["id"] == one and row["v"] in "ab")
        after = {**before, "id": other}
        t.clock += 1 if one == "1" else 0
        t._canal("UPDATE", [after], [{"id": one}], t.partition_of(after))
    t.rows[0]["id"], t.rows[1]["id"] = "2", "1"
    # a row leaves its key; in its second, another partition and the next run, another takes it
    t.insert({"id": "8", "v": "a"})
    for n in range(11, 23, 2):
        t.insert({"id": str(n), "v": "filler"})
    t.update(("8", {"id": "33"}))
    yield
    t.clock -= 1
    t.insert({"id": "8", "v": "b"})
    yield


def parsed_again(t: Source) -> Steps:
    """A code that is not known yet makes rejects, which come back as events of old offsets."""
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
    """A change that comes back as an old one together with a newer partial image undoes nothing."""
    t.insert(*({"id": n, "name": "a", "note": "a"} for n in (1, 2, 3)))
    for key, absent in ((1, PLACEHOLDER), (2, ())):
        t._debezium("x", None, {"id": key, "name": "late", "note": "late"}, 0, absent)
    t._debezium("y", {"id": 3, "name": "a", "note": "a"}, None, 0)
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


def sharded(t: Sharded) -> Steps:
    """Two tables as one: the same key in both is two rows, and a truncate empties one of them."""
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
    t.update((6, {"name": None}), absent=PLACEHOLDER)  # on a row of the state
    t.update((7, {"name": "a"}), absent=PLACEHOLDER)
    t.update((7, {"name": "b", "note": None}))
    t.update((7, {"name": "c"}), absent=PLACEHOLDER)
    t.update((8, {"name": "x"}), absent=("note",))
    t.delete(1)
    t.insert({"id": 1, "name": "again", "note": None})
    t.update((1, {"name": "once more"}), absent=PLACEHOLDER)
    yield
    t.update((30, {"id": 3}))
    t.update((6, {"id": 66}))  # one half of a swap
    t.delete(2)
    t.update((1, {"name": "only name"}), absent=PLACEHOLDER)
    t.update((1, {"note": "only note"}), absent=("name",))
    yield
    t.update((7, {"id": 6}))
    t.update((66, {"id": 7}))
    t.resend()
    yield


def debezium_positions(t: Source) -> Steps:
    """MySQL's positions decide across partitions, their numbers compared as numbers."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"}, {"id": 2, "name": "a"})
    t.update((1, {"name": "b"}))
    yield
    t.position = ("binlog.000009", 5000)
    t._debezium("u", None, {"id": 1, "name": "late"}, 1 - t.partition_of({"id": 1}))
    t.position = ("binlog.000010", 4)
    t.update((1, {"name": "c"}))
    t.pending.reverse()
    t.clock -= 1000  # a transaction's events carry the time of its start
    t._debezium("u", None, {"id": 2, "name": "d"}, 1 - t.partition_of({"id": 2}))
    t._find(2)["name"] = "d"
    yield
    t.position = ("binlog.000009", 7000)
    t._debezium("u", None, {"id": 1, "name": "later still"}, 1 - t.partition_of({"id": 1}))
    t.position = ("binlog.000100", 4)
    t.update((2, {"id": 3}))
    yield


def debezium_resent(t: Source) -> Steps:
    """Positions tell what a producer sends again: no row has a version twice."""
    t.position = ("binlog.000009", 900)
    t.insert({"id": 1, "name": "a"}, {"id": 2, "name": "a"}, {"id": 3, "name": "a"})
    t.update((1, {"name": "b"}), (2, {"name": "b"}))
    t.update((1, {"name": "a"}))
    t.resend(1)
    yield
    t.delete(2)
    t.insert({"id": 2, "name": "c"})
    t.update((3, {"id": 4}))
    t.update((1, {"name": "d"}))
    yield
    sent = len(t.log)
    t.resend(2, -1)
    t.checked = False
    yield
    t.resend(sent - 1, sent)
    t.checked = True
    yield
    # after a failover positions begin anew
    t.position = ("binlog.000001", 4)
    t.update((1, {"name": "e"}), (2, {"name": "e"}))
    t.delete(4)
    t.resend(-3)
    yield


def debezium_lsn(t: Source) -> Steps:
    """SQL Server's positions are hexadecimal."""

    def change(lsn: str, name: str, partition: int) -> None:
        t.clock += 1
        t._debezium("u", None, {"id": 1, "name": name}, partition)
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
    """A partial image behind a delete is another row's, which takes nothing from the one before."""

    def reborn(key: int) -> None:
        # as of a key change onto this key: PostgreSQL sends no unchanged large value with it
        row = {"id": key, "name": "another", "note": None}
        t._debezium("u", None, row, t.partition_of(row), PLACEHOLDER)
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
    """Return a case of random changes, the same of a seed, in one to four batches."""

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
    (emptied_before_a_late_partition, Source("emptied_late", "canal", {**TWO}, ["id"], 2)),
    (without_key, Source("without_key", "canal",
        {f"c{n}": "varchar(9)" for n in range(1, 10)}, [])),
    (without_key_emptied_late, Source("bag_emptied_late", "canal", {**TWO}, [], 2)),
    (odd_names, Source("odd_names", "canal", dict.fromkeys(ODD, "varchar(40)"), ["id no"])),
    (across_partitions, Source("across_partitions", "canal", {**TWO}, ["id"], 2)),
    (same_moment, Source("same_moment", "canal", {**TWO}, ["id"], 2)),
    (parsed_again, Source("parsed_again", "canal", {**TWO}, ["id"])),
    (parsed_again_after_truncate, Source("parsed_again_truncate", "canal", {**TWO}, ["id"])),
    (sharded, Sharded("sharded", "canal",
        {"shard": None, "id": "bigint", "v": "varchar(20)"}, ["shard", "id"])),
    (renamed_column, Source("renamed_column", "canal", {**TWO}, ["id"])),
    (altered_labels, Source("altered_labels", "canal",
        {"id": "bigint", "kind": "enum('a','b')"}, ["id"])),
    (altered_types, Source("altered_types", "debezium",
        {"id": "int64", "amount": "org.apache.kafka.connect.data.Decimal:scale=2,precision=10",
         "at": "io.debezium.time.Timestamp"}, ["id"])),
    (masked_column, Source("masked_column", "canal", {**TWO, "w": "int"}, ["id"],
        masks={"v": "hash", "w": "null"},
        edits=[("'v': 'string'", "'v': {'type': 'string', 'mask': 'hash'}"),
               ("'w': 'int'", "'w': {'type': 'int', 'mask': 'null'}")])),
    (debezium_rows, Source("debezium_rows", "debezium", {**DEBEZIUM}, ["id"])),
    (debezium_positions, Source("debezium_positions", "debezium", {**SHORT}, ["id"], 2)),
    (flattened_across_partitions, Source(
        "flattened", "debezium", {**SHORT}, ["id"], 2)),
    (debezium_resent, Source("debezium_resent", "debezium", {**SHORT}, ["id"])),
    (debezium_lsn, Source("debezium_lsn", "debezium", {**SHORT}, ["id"], 2, "sqlserver")),
    (debezium_emptied, Source("debezium_emptied", "debezium", {**DEBEZIUM}, ["id"])),
    (debezium_parsed_again, Source(
        "debezium_parsed_again", "debezium", {**DEBEZIUM}, ["id"])),
    (debezium_reborn, Source("debezium_reborn", "debezium", {**DEBEZIUM}, ["id"])),
    (at_random(1, 1), Source("random_canal_once", "canal", {**THREE}, ["id"])),
    (at_random(1, 4), Source("random_canal_parts", "canal", {**THREE}, ["id"])),
    (at_random(2, 1), Source("random_debezium_once", "debezium", {**DEBEZIUM}, ["id"])),
    (at_random(2, 3), Source("random_debezium_parts", "debezium", {**DEBEZIUM}, ["id"])),
    (at_random(4, 3), Source("random_partitions", "canal", {**THREE}, ["id"], 3)),
    (at_random(5, 3), Source("random_composite", "canal", {**THREE}, ["id", "name"])),
    (at_random(6, 2), Source(
        "random_null_keys", "debezium", {**DEBEZIUM}, ["name", "id"])),
    (at_random(3, 1), Source("random_bag_once", "canal", {"id": "int", "name": "varchar(9)"}, [])),
    (at_random(3, 3), Source("random_bag_parts", "canal", {"id": "int", "name": "varchar(9)"}, [])),
]  # fmt: skip
SOURCES = {source.name: source for _, source in CASES}
NAMES = list(SOURCES)
# Of these the versions are kept too; of some there is no telling from the messages what came twice.
VERSIONS = [
    "keys_of_every_type", "emptied", "emptied_late", "across_partitions", "parsed_again",
    "parsed_again_truncate", "debezium_resent", "debezium_emptied",
    "random_debezium_once", "random_debezium_parts", "sharded", "renamed_column", "masked_column",
]  # fmt: skip
HISTORY = [
    *VERSIONS, "keys_without_case", "complete_images", "without_key", "debezium_positions",
    "random_bag_parts", "same_moment", "debezium_lsn", "altered_types",
]  # fmt: skip


class Runner:
    """Lands and builds the cases batch by batch, and keeps what was found and what was due."""

    def __init__(self, spark: Any, project: Path, log: Path) -> None:
        self.spark = spark
        self.models = project / "models" / "current" / "state"
        self.histories = project / "models" / "history" / "state"
        self.console = Console(file=log.open("w"), width=300)
        self.offsets: Counter[tuple[str, int]] = Counter()
        self.failures: list[str] = []
        self.batches: list[list[str]] = []
        self.found: dict[str, list[Rows]] = {name: [] for name in NAMES}
        self.expected: dict[str, list[Rows]] = {name: [] for name in NAMES}
        self.open: dict[str, list[Rows]] = {name: [] for name in HISTORY}
        self.ends: dict[str, list[tuple[int, int, str]]] = {name: [] for name in NAMES}

    def land(self, source: Source) -> list[BronzeRow]:
        """Return the bronze rows of what is to be landed of a table."""
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        rows = []
        for message in source.land():
            place = (source.name, message.partition)
            rows.append(
                bronze_row(
                    source.feed, *place, self.offsets[place], now, message.value, message.key
                )
            )
            self.offsets[place] += 1
        return rows

    def batch(self, sources: list[Source], retry: bool = False) -> None:
        """Land, build and look at the tables."""
        for format_id in FORMATS:
            rows = [row for one in sources if one.format == format_id for row in self.land(one)]
            if rows:
                append_to_bronze(self.spark, format_id, rows)
        for source in sources:
            if not source.onboarded:
                self.declare(source)
                if source.name != "odd_names":
                    (self.models / f"st__{source.name}.yml").unlink()
                if source.name in HISTORY:
                    write_history(source.table(), self.histories)
                    (self.histories / f"st__{source.name}__history.yml").unlink()
                source.onboarded = True
        built = build_news(self.spark, "local", FEEDS, self.console, retry=retry)
        self.failures += [
            f"batch {len(self.batches) + 1}: {node.name}: {node.message}"
            for node in built.failed + built.failed_tests
        ]
        self.batches.append([node.name for node in built.nodes if node.kind == "model"])
        for source in sources:
            if source.checked:
                self.found[source.name].append(self.current(source))
                if source.name in HISTORY:
                    self.open[source.name].append(
                        self.current(source, "history.st__{}", "_is_current")
                    )
                self.expected[source.name].append(source.state())
                self.ends[source.name].append(
                    (self.offsets[source.name, 0] - 1, source.clock, source.last_position)
                )

    def build(self) -> list[NodeResult]:
        """Build what has landed, and return what could not be built."""
        built = build_news(self.spark, "local", FEEDS, self.console)
        return [node for node in built.failed if node.status == "error"]

    def declare(self, source: Source) -> None:
        """Write the model of a table, with what a person has edited in it."""
        model = self.models / f"st__{source.name}.sql"
        if source.edits:
            model.unlink(missing_ok=True)
        write_table(source.table(), self.models)
        for old, new in source.edits:
            text = model.read_text()
            assert old in text
            model.write_text(text.replace(old, new))

    def as_of(self, source: Source, place: str) -> Rows:
        """Return a table's rows as the macro as_of() gives them."""
        history = f"ref('st__{source.name}__history')"
        compiled = dbtRunner().invoke(
            ["--quiet", "--log-level", "none", "compile", "--target", "local", "--inline"]
            + [f"select * from {{{{ as_of({history}, {place}) }}}}"]
        )
        assert compiled.exception is None, compiled.exception
        relation = f"({compiled.result.results[0].node.compiled_code})"
        return self.current(source, relation.replace("{", "{{").replace("}", "}}"))

    def current(
        self, source: Source, relation: str = "current.st__{}", where: str = "true"
    ) -> Rows:
        """Return a current table's rows as texts, with what is undecodable in its place."""
        count = "_row_count" if not source.key else "1"
        rows = self.spark.sql(
            f"select {count}, {_texts(source)} from {relation.format(source.name)} where {where}"
        ).collect()
        result: Rows = Counter()
        for row in rows:
            result[tuple(row[1:])] += row[0]
        return result

    def versions(self, source: Source) -> list[tuple[Any, ...]]:
        """Return a history table's rows, with all of their columns."""
        rows = self.spark.sql(
            f"select {_texts(source)}, unix_timestamp(_valid_from), unix_timestamp(_valid_to),"
            " _is_current, _operation, cast(_undecodable as string), _committed_at,"
            f" _kafka_partition, _kafka_offset from history.st__{source.name}"
        ).collect()
        return sorted((tuple(row) for row in rows), key=repr)

    def rebuild(self, *models: str) -> None:
        """Build models anew from all that they are made of."""
        built = Build(self.spark, "local", lambda node: None).invoke(
            "run", "--full-refresh", "--select", *models
        )
        assert not built.failed, built.failed


def _texts(source: Source) -> str:
    return ", ".join(
        f"if(map_contains_key(_undecodable, {_text(name)}),"
        f" coalesce(_undecodable[{_text(name)}], '{UNKNOWN}'), {_cast(name, kind)})"
        for name, kind in zip(
            column_names(source.columns).values(), source.columns.values(), strict=True
        )
    )


def _text(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _cast(name: str, kind: str | None) -> str:
    quoted = "`" + name.replace("`", "``") + "`"
    if kind and kind.startswith("varbinary"):
        return f"decode({quoted}, 'ISO-8859-1')"
    return f"cast({quoted} as string)"


@pytest.fixture(scope="module")
def runner(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """All cases, built."""
    ensure_bronze(spark)
    work = Runner(spark, project, tmp_path_factory.mktemp("state") / "log")
    running = [(source, case(source)) for case, source in CASES]
    batch = 0
    while running:
        batch += 1
        if batch == 3:
            codes = project / "seeds" / "operation_codes.csv"
            codes.write_text(
                codes.read_text()
                + "canal,PUT,row,insert\ndebezium,x,row,update\ndebezium,y,row,delete\n"
            )
        going = [(source, steps) for source, steps in running if _go_on(steps)]
        running = going
        work.batch([source for source, _ in going], retry=batch == 3)
    yield work
    for file in (*work.models.iterdir(), *work.histories.iterdir()):
        file.unlink()


def _go_on(steps: Steps) -> bool:
    return next(steps, steps) is None


def test_nothing_failed(runner: Runner) -> None:
    assert runner.failures == []


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_as_at_the_source(runner: Runner, name: str) -> None:
    assert runner.expected[name]
    for batch, (found, due) in enumerate(
        zip(runner.found[name], runner.expected[name], strict=True), 1
    ):
        assert (batch, found - due, due - found) == (batch, Counter(), Counter())


def test_drift_does_not_grow_with_the_number_of_tables(runner: Runner) -> None:
    # the embedded catalog keeps the text of a view, up to 32,700 characters
    (text,) = runner.spark.sql("show create table silver.column_drift").first()
    assert len(text) < 5_000
    models = runner.spark.sql("select count(distinct model) from silver.declared_source_columns")
    assert models.first()[0] == len(NAMES)


def test_tombstones_end(runner: Runner) -> None:
    keys = runner.spark.sql("select _key, _is_deleted from state.st__tombstones_ended order by 1")
    # the row that the last run deleted is still there, those before it are not
    assert [tuple(row) for row in keys.collect()] == [
        ("1:3", True), ("1:4", False), ("1:5", False),
    ]  # fmt: skip


@pytest.mark.parametrize("name", HISTORY)
def test_the_open_versions_are_the_current_table(runner: Runner, name: str) -> None:
    for batch, (found, due) in enumerate(
        zip(runner.open[name], runner.expected[name], strict=True), 1
    ):
        assert (batch, found - due, due - found) == (batch, Counter(), Counter())


@pytest.mark.parametrize("name", VERSIONS)
def test_versions_are_what_the_rows_were(runner: Runner, name: str) -> None:
    source = SOURCES[name]
    due = Counter((*source.shown(one.row), one.begin, one.end) for one in source.versions)
    found = Counter(row[: len(source.columns) + 2] for row in runner.versions(source))
    assert (found - due, due - found) == (Counter(), Counter())


@pytest.mark.parametrize("name", ["emptied", "debezium_emptied"])
def test_tables_as_they_were(runner: Runner, name: str) -> None:
    source = SOURCES[name]
    for (offset, second, _), due in zip(runner.ends[name], runner.expected[name], strict=True):
        assert runner.as_of(source, f"offsets={{0: {offset}}}") == due
        assert runner.as_of(source, f'at="timestamp_seconds({second})"') == due


def test_a_table_as_it_was_at_a_position(runner: Runner) -> None:
    source = SOURCES["debezium_positions"]
    ends, expected = runner.ends[source.name], runner.expected[source.name]
    for (_, _, position), due in zip(ends, expected, strict=True):
        assert runner.as_of(source, f"position='{position}'") == due


def test_what_is_declared_is_no_drift(runner: Runner) -> None:
    """Nor is a column that has another name by now, which the model knows."""
    drift = runner.spark.table("silver.column_drift").where("model like 'st__%'")
    found = drift.select("model", "column_name", "kind").collect()
    assert sorted(tuple(row) for row in found) == [
        ("st__altered_labels", "kind", "type_changed"),
        ("st__altered_types", "amount", "type_changed"),
        ("st__altered_types", "at", "type_changed"),
    ]


def test_all_is_the_same_from_events_that_are_parsed_anew(runner: Runner) -> None:
    """Tables are built anew where their events are: what they have seen is of the old ones."""
    incremental = {name: runner.versions(SOURCES[name]) for name in HISTORY}
    runner.rebuild(*(f"{one}_events" for one in FORMATS))
    assert runner.build() == []
    for name in HISTORY:
        assert incremental[name]
        assert (name, runner.versions(SOURCES[name])) == (name, incremental[name])
    for name, source in SOURCES.items():
        # of rows older than a column that the model has come to declare nobody knows its value
        if source.checked and name != "odd_names":
            assert (name, runner.current(source)) == (name, source.state())


def test_a_full_refresh_builds_a_table_anew(runner: Runner) -> None:
    source = SOURCES["complete_images"]
    versions = runner.versions(source)
    runner.spark.sql("delete from state.st__complete_images")
    runner.spark.sql("delete from state.st__complete_images__history")
    runner.rebuild("st__complete_images", "st__complete_images__history")
    assert runner.current(source) == source.state()
    assert runner.versions(source) == versions


CHANGED = [
    ("renamed_column", "'id': 'bigint'", "'id': 'int'",
     "column id of {} was built as bigint and is declared as int"),
    ("masked_column", "'v': {'type': 'string', 'mask': 'hash'}", "'v': 'string'",
     "column v of {} was built as string with mask hash and salt d41d and is declared as string:"),
    ("random_composite", "'key': ['id', 'name']", "'key': ['id']",
     "the key of {} was built as id, name and is declared as id:"),
    ("random_bag_parts", "'columns': {", "'columns': {'extra': 'string',",
     "the key of {} was built as none but the whole row, id, name and is declared as"
     " none but the whole row, extra, id, name:"),
]  # fmt: skip


def test_a_changed_declaration_rebuilds_nothing_unasked(runner: Runner) -> None:
    sources = {name: SOURCES[name] for name, *_ in CHANGED}
    models = {name: runner.models / f"st__{name}.sql" for name in sources}
    texts = {name: model.read_text() for name, model in models.items()}
    for name, old, new, _ in CHANGED:
        assert old in texts[name]
        models[name].write_text(texts[name].replace(old, new))
        sources[name].insert({"id": "5000", "name": "e"})
        append_to_bronze(runner.spark, "canal", runner.land(sources[name]))
    before = {name: runner.current(source) for name, source in sources.items()}
    try:
        failed = {node.name: node.message for node in runner.build()}
        for name, *_, message in CHANGED:
            assert message.format(f"current.st__{name}") in failed.pop(f"st__{name}")
            failed.pop(f"st__{name}__history", None)
        assert failed == {}
        assert {name: runner.current(source) for name, source in sources.items()} == before
    finally:
        for name, model in models.items():
            model.write_text(texts[name])
    assert runner.build() == []
    assert [runner.current(one) for one in sources.values()] == [
        one.state() for one in sources.values()
    ]


def test_a_format_that_fails_keeps_no_other_from_its_tables(runner: Runner) -> None:
    sources = {name: SOURCES[name] for name in ("complete_images", "debezium_rows")}
    for source in sources.values():
        source.insert({"id": "999" if source.format == "canal" else 999, "name": "late"})
        append_to_bronze(runner.spark, source.format, runner.land(source))
    files = Path(settings.bronze("debezium")).glob("landed_date=*/*.parquet")
    newest = max(files, key=lambda file: file.stat().st_mtime_ns)
    hidden = newest.rename(newest.with_suffix(".hidden"))
    try:
        assert [node.name for node in runner.build()] == ["debezium_events"]
        matches = [runner.current(one) == one.state() for one in sources.values()]
        assert matches == [True, False]
    finally:
        hidden.rename(newest)
    assert runner.build() == []
    assert [runner.current(one) for one in sources.values()] == [
        one.state() for one in sources.values()
    ]
