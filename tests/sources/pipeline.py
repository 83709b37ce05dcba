"""Takes messages from the broker to current tables, and compares these with the database."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.core.quoting import sql_name
from changelake.landing.job import land
from changelake.onboarding.choosing import choose_tables
from changelake.onboarding.model_files import write_table
from changelake.onboarding.names import column_names
from changelake.onboarding.schema_files import read_schema
from changelake.onboarding.schema_matching import take_schema
from changelake.onboarding.seen import look_at_values, seen_tables
from columns import canonical
from workload import Table

# By a column's name or kind: what a producer sends instead of a value, or how that is stored.
Sent = Mapping[str, Callable[[Any], Any]]
Reader = Callable[[str, str, list[tuple[str, str]]], list[list[str | None]]]
ABSENT = "(no such column)"


@dataclass(frozen=True)
class Difference:
    """A cell that differs from the database's, or a missing or surplus row."""

    table: str
    column: str
    kind: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        return (
            f"{self.table}.{self.column} ({self.kind}):"
            f" {_short(self.expected)} came as {_short(self.found)}"
        )


@dataclass(frozen=True)
class Undecodable:
    """A cell's text in `_undecodable`; None if no value has arrived."""

    text: str | None


@dataclass(frozen=True)
class OneOf:
    """The values that a cell may hold where a producer sends sometimes one, sometimes another."""

    values: tuple[Any, ...]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 120 else f"{text[:80]}… ({len(text)})"


class Pipeline:
    """Spark, the broker and a copy of the project, used as run.py and onboard.py use them."""

    def __init__(self, spark: Any, broker: str, project: Path) -> None:
        self.spark = spark
        self.broker = broker
        self.project = project

    def run(self, feeds: list[Feed]) -> None:
        """Land all messages and build what has pending changes; every node must succeed."""
        land(self.spark, feeds, self.broker)
        # Parsers and tables get a feed's time zone from the seed.
        lines = [
            f"{one.feed},{' '.join(one.topics)},{one.topic_pattern or ''},{one.format},"
            f"{one.time_zone}\n"
            for one in feeds
        ]
        seed = self.project / "seeds" / "feeds.csv"
        seed.write_text("feed,topics,topic_pattern,format,time_zone\n" + "".join(lines))
        with (self.project / "build.log").open("a") as log:
            built = build_pending(self.spark, "local", feeds, Console(file=log))
        failed = [f"{node.name}: {node.message}" for node in built.failed + built.failed_tests]
        assert not failed, "\n".join(failed)

    def onboard(
        self, feeds: list[Feed], keys: dict[str, list[str]], schema: dict[str, Path] | None = None
    ) -> dict[str, list[str]]:
        """Write models for all tables of the feeds; return the remarks by table.

        Args:
            feeds: the feeds to onboard.
            keys: by table, the key that a person has given.
            schema: schema files by feed.
        """
        names = {one.feed for one in feeds}
        tables = [one for one in seen_tables(self.spark) if one.feed in names]
        for feed, file in (schema or {}).items():
            of_feed = [one for one in tables if one.feed == feed]
            take_schema(of_feed, read_schema(file, {one.family for one in of_feed}))
            assert [one.name for one in of_feed if one.known is None] == []
        tables = choose_tables(tables, [], None, keys)
        assert not [one.name for one in tables if one.key is None]
        look_at_values(self.spark, tables)
        return {
            one.name: write_table(one, self.project / "models" / "current").remarks
            for one in tables
        }

    def rejects(self, feeds: list[Feed]) -> list[Any]:
        """Return the rejected messages."""
        names = ", ".join(f"'{one.feed}'" for one in feeds)
        return self.spark.sql(
            "select kafka_topic, reject_reason, reject_detail, left(string(value), 300) as value"
            f" from silver.rejected_messages where feed in ({names}) limit 20"
        ).collect()

    def types(self, relation: str) -> dict[str, str]:
        """Return the types of a current table's columns."""
        return {
            column.name: column.dataType.simpleString()
            for column in self.spark.table(f"current.`{relation}`").schema
        }

    def differences(
        self, relation: str, table: Table, read: Reader, database: str, sent: Sent | None = None
    ) -> list[Difference]:
        """Compare a current table with the database's table, cell by cell.

        Args:
            relation: the current table's name.
            table: the source table.
            read: reads the rows from the database.
            database: the database or schema of the source table.
            sent: other values that a cell may hold.
        """
        sent = sent or {}
        columns = [(one.name, one.kind) for one in table.columns]
        expected = [
            tuple(canonical(kind, cell) for (_, kind), cell in zip(columns, row, strict=True))
            for row in read(database, table.name, columns)
        ]
        found, counts = self._current(relation, columns)
        if not table.key:
            return self._compare_counts(relation, expected, found, counts)
        places = [index for index, (name, _) in enumerate(columns) if name in table.key]

        def told(index: int, value: Any) -> Any:
            name, kind = columns[index]
            tell = sent.get(name) or sent.get(kind) or sent.get(kind.split(" ")[0])
            return tell(value) if tell and value is not None else value

        theirs = {tuple(told(index, row[index]) for index in places): row for row in expected}
        ours = {tuple(row[index] for index in places): row for row in found}
        differences = [
            Difference(relation, "a row", "row", key in theirs, (key, key in ours))
            for key in sorted(set(ours) ^ set(theirs), key=repr)
        ]
        if len(ours) != len(found):
            differences.append(Difference(relation, "a key", "row", len(ours), len(found)))
        for key in sorted(set(ours) & set(theirs), key=repr):
            for index, (name, kind) in enumerate(columns):
                cell, own = ours[key][index], theirs[key][index]
                due = told(index, own)
                others = due.values if isinstance(due, OneOf) else (due,)
                if repr(cell) not in map(repr, (own, *others)):
                    differences.append(Difference(relation, name, kind, own, cell))
        return differences

    def _compare_counts(
        self, relation: str, expected: list[tuple[Any, ...]], found: list[tuple[Any, ...]],
        counts: list[int],
    ) -> list[Difference]:  # fmt: skip
        ours: Counter[str] = Counter()
        for row, count in zip(found, counts, strict=True):
            ours[repr(row)] += count
        theirs = Counter(repr(row) for row in expected)
        return [
            Difference(relation, "a row", "row", (row, theirs[row]), (row, ours[row]))
            for row in sorted(set(ours) | set(theirs))
            if ours[row] != theirs[row]
        ]

    def _current(
        self, relation: str, columns: list[tuple[str, str]]
    ) -> tuple[list[tuple[Any, ...]], list[int]]:
        types = self.types(relation)
        names = column_names(name for name, _ in columns)
        selects = []
        for name, _ in columns:
            quoted = sql_name(names[name])
            kind = types.get(names[name])
            if kind is None:
                selects.append(f"'{ABSENT}'")
            elif kind == "binary":
                selects.append(f"lower(hex({quoted}))")
            elif kind == "float":
                selects.append(f"string(double({quoted}))")
            elif kind.startswith("array<"):
                one = {"array<float>": "double(one)", "array<binary>": "lower(hex(one))"}
                text = f"string({one.get(kind, 'one')})"
                selects.append(f"to_json(transform({quoted}, one -> {text}))")
            elif kind.startswith("map<"):
                selects.append(f"to_json({quoted})")
            else:
                selects.append(f"string({quoted})")
        count = "_row_count" if "_row_count" in types else "1L"
        rows = self.spark.sql(
            f"select array({', '.join(selects)}) as cells, _undecodable as bad, {count} as times"
            f" from current.`{relation}`"
        ).collect()
        found = []
        for row in rows:
            bad = row.bad or {}
            found.append(
                tuple(
                    Undecodable(bad[names[name]]) if names[name] in bad
                    else cell if cell == ABSENT
                    else _canonical(kind, cell)
                    for (name, kind), cell in zip(columns, row.cells, strict=True)
                )
            )  # fmt: skip
        return found, [row.times for row in rows]


def _canonical(kind: str, cell: str | None) -> Any:
    try:
        return canonical(kind, cell)
    except (ArithmeticError, ValueError, KeyError, TypeError):
        # Keep the text as it is: the producer did not name this type.
        return cell


def relation_of(*parts: str) -> str:
    """Return the name of the current table of a database, a schema if there is one, and a table."""
    return "__".join(re.sub(r"[^a-z0-9_]", "_", part.lower()) for part in parts)
