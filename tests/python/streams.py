"""A source table in plain Python, and the messages about its changes."""

import copy
import hashlib
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from canal import canal_message
from changelake.onboarding.shards import join_shards
from changelake.onboarding.tables import SourceColumn, SourceTable

Row = dict[str, Any]
START = 1_700_000_000
# put before a text that a mask hashes
SALT = "pepper"
# the column that Debezium's messages leave out in random changes
PLACEHOLDER = ("note",)


class Bad(str):
    """A value that its column's type cannot hold."""


@dataclass
class Message:
    """A Kafka message in a partition."""

    partition: int
    key: bytes | None
    value: bytes | None


@dataclass
class Version:
    """A row, the operation that made it, and the seconds when it began and, if so, ended."""

    row: Row
    operation: str
    begin: int
    end: int | None = None


@dataclass
class Source:
    """A source table: its current and earlier rows, and the messages that have not landed yet.

    Args:
        name: the table's name, which is also its topic's.
        format: canal or debezium: the format of the messages.
        columns: the source's types by column; None where the source has none.
        key: the key's columns; if empty, the rows are a multiset.
        partitions: the number of partitions; a row's key decides which one its messages go to.
        source_type: the connector that Debezium's messages name.
        edits: texts that a person has replaced in the generated model.
        renamed: the source's new name of a column, by its old name.
        masks: by column: `hash` or `null`, as the current table has it.
        joined: the sharded table that it belongs to, or empty if it has a table of its own.
    """

    name: str
    format: str
    columns: dict[str, str | None]
    key: list[str]
    partitions: int = 1
    source_type: str = "mysql"
    rows: list[Row] = field(default_factory=list)
    pending: list[Message] = field(default_factory=list)
    log: list[Message] = field(default_factory=list)
    versions: list[Version] = field(default_factory=list)
    clock: int = START
    position: tuple[str, int] | None = None
    onboarded: bool = False
    hold: set[int] = field(default_factory=set)
    checked: bool = True
    edits: list[tuple[str, str]] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)
    masks: dict[str, str] = field(default_factory=dict)
    joined: str = ""

    @property
    def model(self) -> str:
        """Return the name of the table that holds its rows."""
        return self.joined or self.name

    @property
    def shard(self) -> str:
        """Return the name of its shard if its model is a sharded table."""
        return f"st.{self.name}"

    @property
    def in_model(self) -> str:
        """Return the condition that selects its rows in the model's table."""
        return f"shard = '{self.shard}'" if self.joined else "true"

    @property
    def feed(self) -> str:
        """Return the name of the feed: one for all tables of a format."""
        return f"state_{self.format}"

    def table(self) -> SourceTable:
        """Return the table as onboarding sees it."""
        columns = [
            SourceColumn(name, kind, name in self.key) for name, kind in self.columns.items()
        ]
        return SourceTable(
            self.feed, self.format, self.source_type, "st", None, self.name, columns, self.key
        )

    @property
    def last_position(self) -> str:
        """Return the last change's position as parse_debezium() writes it, or an empty text."""
        return f"{self.position[0]}:{self.position[1] - 50}:0" if self.position else ""

    # The changes. Each call is one statement.

    def insert(self, *rows: Row, code: str = "") -> None:
        """Insert rows: one message in Canal, one message per row in Debezium."""
        added = [{name: row.get(name) for name in self.columns} for row in rows]
        self.rows += added
        self._say(code or ("INSERT" if self.format == "canal" else "c"), [], added)

    def update(
        self, *changes: tuple[Any, Row], absent: tuple[str, ...] = (), spelled: Row | None = None,
        apart: bool = False,
    ) -> None:  # fmt: skip
        """Update rows at the same moment, so that they can swap their keys.

        Args:
            changes: each row, given by its key or its values, and the new values.
            absent: columns whose values are missing from the message.
            spelled: values that the message spells differently, though they are the same.
            apart: write a message for each row, also in Canal.
        """
        found: list[Row] = []
        for which, _ in changes:
            found.append(self.find(which, found))
        before = [copy.copy(row) for row in found]
        for row, (_, values) in zip(found, changes, strict=True):
            row.update(values)
        code = "UPDATE" if self.format == "canal" else "u"
        self._say(code, before, [copy.copy(row) for row in found], absent, spelled, apart)

    def delete(self, *which: Any) -> None:
        """Delete rows, given by their keys or values."""
        gone = [self.find(one) for one in which]
        for row in gone:
            self.rows = [one for one in self.rows if one is not row]
        self._say("DELETE" if self.format == "canal" else "d", gone, [])

    def empty(self, statement: str = "truncate") -> None:
        """Truncate or drop the table; the message goes to partition 0."""
        self.rows.clear()
        self.clock += 1
        self._keep([], [], emptied=True)
        if self.format == "canal":
            kind = "TRUNCATE" if statement == "truncate" else "ERASE"
            self.canal(kind, None, None, 0, sql=f"{statement} table {self.name}")
        else:
            self.debezium("t", None, None, 0)

    def resend(self, first: int = 0, last: int | None = None) -> None:
        """Repeat a range of the messages, as a producer does after a restart."""
        self.pending += (self.log + self.pending)[first:last]

    def land(self) -> list[Message]:
        """Return the messages that can land: all but those of held partitions."""
        landed = [message for message in self.pending if message.partition not in self.hold]
        self.pending = [message for message in self.pending if message.partition in self.hold]
        self.log += landed
        return landed

    def state(self) -> Counter[tuple[str | None, ...]]:
        """Return the rows that the current table must have, as texts, counted."""
        return Counter(self.shown(row) for row in self.rows)

    def shown(self, row: Row) -> tuple[str | None, ...]:
        """Return a row as the current table shows it: texts in column order."""
        texts = {name: None if row[name] is None else str(row[name]) for name in self.columns}
        for name, mask in self.masks.items():
            text = texts[name]
            hashed = mask == "hash" and text is not None
            texts[name] = (
                hashlib.sha256((SALT + str(text)).encode()).hexdigest() if hashed else None
            )
        return tuple(texts.values())

    def _keep(
        self, before: list[Row], after: list[Row], code: str = "", emptied: bool = False
    ) -> None:
        if not self.key:
            return
        ended = [self._key(row) for row in before + after]
        begun = [copy.copy(row) for row in after]
        # A row that comes from another key is inserted.
        pairs = zip(before, after, strict=False)
        stayed = [self._key(new) for old, new in pairs if self._key(old) == self._key(new)]
        for version in self.versions:
            if version.end is None and (emptied or self._key(version.row) in ended):
                if version.row in begun:
                    # a no-op
                    begun.remove(version.row)
                else:
                    version.end = self.clock
        for row in begun:
            operation = "update" if self._key(row) in stayed else "insert"
            operation = "snapshot" if code in ("INIT", "r") else operation
            self.versions.append(Version(row, operation, self.clock))

    def _key(self, row: Row) -> tuple[Any, ...]:
        return tuple(row[name] for name in self.key)

    # The messages.

    def find(self, which: Any, taken: Sequence[Row] = ()) -> Row:
        if isinstance(which, dict):
            rows = [row for row in self.rows if not any(row is one for one in taken)]
            return next(row for row in rows if row.items() >= which.items())
        parts = which if isinstance(which, tuple) else (which,)
        return next(row for row in self.rows if tuple(row[name] for name in self.key) == parts)

    def partition_of(self, row: Row) -> int:
        """Return the partition of a row's messages, by its key or, without one, the whole row."""
        names = self.key or list(self.columns)
        return sum(sum(str(row[name]).encode()[-1:]) for name in names) % self.partitions

    def _say(
        self, code: str, before: list[Row], after: list[Row], absent: tuple[str, ...] = (),
        spelled: Row | None = None, apart: bool = False,
    ) -> None:  # fmt: skip
        self.clock += 1
        self._keep(before, after, code)
        if spelled:
            before, after = ([{**row, **spelled} for row in rows] for rows in (before, after))
        if self.format == "canal":
            data = after or before
            old = None
            if before and after:
                old = [
                    {name: one[name] for name in one if one[name] != other[name]}
                    for one, other in zip(before, after, strict=True)
                ]
            alone = [slice(n, n + 1) for n in range(len(data))]
            for some in alone if apart else [slice(None)]:
                self.canal(code, data[some], old and old[some], self.partition_of(data[some][0]))
            return
        olds: list[Row | None] = [*before] or [None] * len(after)
        news: list[Row | None] = [*after] or [None] * len(before)
        for one, other in zip(olds, news, strict=True):
            moved = one and other and any(one[name] != other[name] for name in self.key)
            if one and (moved or not other):
                # In Debezium a key change is a delete, its tombstone and a create.
                self.debezium("d", one, None, self.partition_of(one))
                if self.key:
                    self.pending.append(Message(self.partition_of(one), self.pending[-1].key, None))
            if other and moved:
                self.debezium("c", None, other, self.partition_of(other))
            elif other:
                self.debezium(code, one, other, self.partition_of(other), absent)

    def canal(
        self, code: str, data: list[Row] | None, old: list[Row] | None, partition: int,
        sql: str = "",
    ) -> None:  # fmt: skip
        data, old = self._as_named(data), self._as_named(old)
        value = canal_message(
            code, "st", self.name, self.clock * 1000, data,
            old=old, mysqlType=self.columns, pkNames=self.key, sql=sql,
        )  # fmt: skip
        self.pending.append(Message(partition, None, _json(value)))

    def _as_named(self, rows: list[Row] | None) -> list[Row] | None:
        return rows and [{self.renamed.get(k, k): v for k, v in row.items()} for row in rows]

    def debezium(
        self, op: str, before: Row | None, after: Row | None, partition: int,
        absent: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        source: dict[str, Any] = {
            "version": "3.0", "connector": self.source_type, "name": "s", "db": "st",
            "table": self.name, "ts_ms": self.clock * 1000,
        }  # fmt: skip
        if self.position:
            file, position = self.position
            source |= {"file": file, "pos": position, "row": 0}
            self.position = file, position + 50
        if after and absent:
            after = {**after, **dict.fromkeys(absent, "__debezium_unavailable_value")}
        row = after or before
        key = _json({name: row[name] for name in self.key}) if row and self.key else None
        # With PostgreSQL's REPLICA IDENTITY DEFAULT, updates have no image before.
        if before and after and absent:
            before = None
        value = {"op": op, "before": before, "after": after, "source": source, "ts_ms": 0}
        self.pending.append(Message(partition, key, _json(value)))


@dataclass
class Sharded(Source):
    """A source table in shards; the column `shard` of a row names its shard."""

    def table(self) -> SourceTable:
        """Return the shards as onboarding joins them."""
        columns = [
            SourceColumn(name, kind, name in self.key)
            for name, kind in self.columns.items()
            if name != "shard"
        ]
        key = [name for name in self.key if name != "shard"]
        shards = [
            SourceTable(self.feed, self.format, "mysql", "st", None, name, columns, key)
            for name in ("first", "second")
        ]
        return join_shards(shards, f"st__{self.name}", rf"st\.{self.name}_\d+")

    def empty_shard(self, shard: str) -> None:
        """Truncate one of the shards; the message goes to partition 0."""
        self.clock += 1
        gone = [row for row in self.rows if row["shard"] == shard]
        self.rows = [row for row in self.rows if row["shard"] != shard]
        for version in self.versions:
            if version.end is None and any(
                version.row is row or version.row == row for row in gone
            ):
                version.end = self.clock
        self._message("TRUNCATE", shard, None, None, 0, f"truncate table {shard}")

    def canal(
        self, code: str, data: list[Row] | None, old: list[Row] | None, partition: int,
        sql: str = "",
    ) -> None:  # fmt: skip
        for n, row in enumerate(data or []):
            self._message(code, row["shard"], [row], old and [old[n]], partition, sql)

    def _message(
        self, code: str, shard: str, data: list[Row] | None, old: list[Row] | None,
        partition: int, sql: str,
    ) -> None:  # fmt: skip
        name, self.name = self.name, shard.split(".")[1]
        plain = data and [{k: v for k, v in row.items() if k != "shard"} for row in data]
        super().canal(code, plain, old, partition, sql)
        self.name = name


def joined_table(shards: Sequence[Source]) -> SourceTable:
    """Return tables joined into one as onboarding joins them."""
    pattern = rf"st\.({'|'.join(one.name for one in shards)})"
    return join_shards([one.table() for one in shards], f"st__{shards[0].joined}", pattern)


def work(t: Source, chance: random.Random, steps: int) -> None:
    """Make random changes to a table with the columns id, name and note."""
    number = (lambda n: n) if t.format == "debezium" else str
    for _ in range(steps):
        choice, key = chance.random(), number(chance.randrange(12))
        # Not a number: a dialect without types would be declared by it.
        note = f"n{chance.random()}"
        value = {"name": chance.choice(["x", "", None, "y"]), "note": note}
        rows = {row["id"]: dict(row) for row in t.rows}
        if not t.key:
            if not t.rows or choice < 0.5:
                t.insert({"id": key, "name": value["name"]}, {"id": key, "name": "z"})
            elif choice < 0.7:
                t.delete(dict(chance.choice(t.rows)))
            elif choice < 0.98:
                t.update((dict(chance.choice(t.rows)), {"name": value["name"]}))
            else:
                t.empty()
        elif key not in rows:
            t.insert({"id": key, **value})
        elif choice < 0.2:
            t.delete(rows[key])
        elif choice < 0.35:
            other = number(chance.randrange(12))
            if other in rows and other != key and t.format == "canal":
                swap = (rows[key], {"id": other}), (rows[other], {"id": key})
                t.update(*swap, apart=choice < 0.28)
            elif other not in rows:
                t.update((rows[key], {"id": other}))
        elif choice < 0.6 and t.format == "debezium":
            t.update((rows[key], {"name": value["name"]}), absent=PLACEHOLDER)
        elif choice < 0.65:
            t.resend(-chance.randrange(1, 6)) if t.format == "canal" and t.key else t.empty()
        elif choice < 0.66:
            t.empty("drop")
        else:
            t.update((rows[key], value))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
