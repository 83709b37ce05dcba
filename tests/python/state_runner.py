"""Lands and builds the tables of state_cases.py."""

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import Any

from rich.console import Console

from bronze_rows import BronzeRow, append_to_bronze, bronze_row
from changelake.build.dbt import Build
from changelake.build.report import NodeResult
from changelake.build.runner import build_pending
from changelake.core.quoting import sql_name, sql_string
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.names import column_names
from changelake.onboarding.tables import SourceTable
from compiled_text import compiled_text
from state_cases import FEEDS, FORMATS, NAMES, UNKNOWN
from streams import Source, joined_table

Rows = Counter[tuple[Any, ...]]
Versions = list[tuple[Any, ...]]
# separates texts that are compiled together
BETWEEN = "\n-- next\n"


class Runner:
    """Lands and builds the cases batch by batch, and keeps the found and the expected rows.

    Args:
        spark: the session.
        project: the copy of the project.
        log: the log file of the builds.
        with_history: the cases that have a history table.
    """

    def __init__(self, spark: Any, project: Path, log: Path, with_history: Set[str]) -> None:
        self.spark = spark
        self.with_history = with_history
        self.models = project / "models" / "current" / "state"
        self.histories = project / "models" / "history" / "state"
        self.console = Console(file=log.open("w"), width=300)
        self.offsets: Counter[tuple[str, int]] = Counter()
        self.failures: list[str] = []
        self.messages: dict[tuple[str, int, int], bytes | None] = {}
        self.batches = 0
        self.tests: list[NodeResult] = []
        self.unasked: list[str] = []
        self.found: dict[str, list[Rows]] = {name: [] for name in NAMES}
        self.expected: dict[str, list[Rows]] = {name: [] for name in NAMES}
        self.open: dict[str, list[Rows]] = {name: [] for name in with_history}
        self.ends: dict[str, list[tuple[int, int, str]]] = {name: [] for name in NAMES}

    def land(self, source: Source) -> list[BronzeRow]:
        """Return the bronze rows of a table's messages that can land now."""
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        rows = []
        for message in source.land():
            place = (source.name, message.partition)
            offset = self.offsets[place]
            rows.append(bronze_row(source.feed, *place, offset, now, message.value, message.key))
            self.messages[(*place, offset)] = message.value
            self.offsets[place] += 1
        return rows

    def batch(self, sources: list[Source], retry: bool = False) -> None:
        """Land, build and read the tables."""
        asked = {one.model for one in sources if not one.onboarded}
        for format_id in FORMATS:
            rows = []
            for source in sources:
                if source.format == format_id and (landed := self.land(source)):
                    rows += landed
                    asked.add(source.model)
            if rows:
                append_to_bronze(self.spark, format_id, rows)
        for model, parts in _by_model(one for one in sources if not one.onboarded).items():
            table = joined_table(parts) if parts[0].joined else parts[0].table()
            self.declare(table, model, [edit for one in parts for edit in one.edits])
            if model not in ("odd_names", "any_names"):
                (self.models / f"st__{model}.yml").unlink()
            if any(one.name in self.with_history for one in parts):
                write_history(table, self.histories)
                (self.histories / f"st__{model}__history.yml").unlink()
            for source in parts:
                source.onboarded = True
        built = build_pending(self.spark, "local", FEEDS, self.console, retry=retry)
        self.batches += 1
        self.tests += [node for node in built.nodes if node.kind == "test"]
        self.failures += [
            f"batch {self.batches}: {node.name}: {node.message}"
            for node in built.failed + built.failed_tests
        ]
        if not retry:
            tables = {node.name for node in built.nodes if node.name.startswith("st__")}
            names = {name.removeprefix("st__").removesuffix("__history") for name in tables}
            self.unasked += [f"batch {self.batches}: {name}" for name in names - asked]
        checked = [source for source in sources if source.checked]
        found = self.rows(checked)
        versions = self.rows(
            [source for source in checked if source.name in self.open],
            "history.st__{}", "_is_current",
        )  # fmt: skip
        for source in checked:
            self.found[source.name].append(found[source.name])
            if source.name in self.open:
                self.open[source.name].append(versions[source.name])
            self.expected[source.name].append(source.state())
            self.ends[source.name].append(
                (self.offsets[source.name, 0] - 1, source.clock, source.last_position)
            )

    def build(self) -> list[NodeResult]:
        """Build what has landed, and return the nodes that failed."""
        built = build_pending(self.spark, "local", FEEDS, self.console)
        return [node for node in built.failed if node.status == "error"]

    def declare(self, table: SourceTable, name: str, edits: list[tuple[str, str]]) -> None:
        """Write the model of a table, with a person's edits."""
        model = self.models / f"st__{name}.sql"
        if edits:
            model.unlink(missing_ok=True)
        write_table(table, self.models)
        for old, new in edits:
            text = model.read_text()
            assert old in text
            model.write_text(text.replace(old, new))

    def as_of(self, source: Source, *places: str) -> list[Rows]:
        """Return a table's rows at some points in time or positions, by the macro as_of()."""
        history = f"ref('st__{source.model}__history')"
        inline = [f"select * from {{{{ as_of({history}, {place}) }}}}" for place in places]
        # Compiled together, since dbt reads the project each time.
        compiled = compiled_text(BETWEEN.join(inline)).split(BETWEEN)
        return [
            self.current(source, f"({one})".replace("{", "{{").replace("}", "}}"))
            for one in compiled
        ]

    def current(
        self, source: Source, relation: str = "current.st__{}", where: str = "true"
    ) -> Rows:
        """Return a table's rows, see rows()."""
        return self.rows([source], relation, where)[source.name]

    def rows(
        self, sources: Sequence[Source], relation: str = "current.st__{}", where: str = "true"
    ) -> dict[str, Rows]:
        """Return each table's rows as texts; undecodable values appear as sent."""

        def select(source: Source) -> str:
            return f"array({texts_of(source)}), {'1' if source.key else '_row_count'}"

        found: dict[str, Rows] = {}
        for name, rows in self._ask(sources, relation, select, where).items():
            found[name] = Counter()
            for texts, count in rows:
                found[name][tuple(texts)] += count
        return found

    def versions(self, source: Source) -> Versions:
        """Return a history table's rows, see all_versions()."""
        return self.all_versions([source])[source.name]

    def all_versions(self, sources: Sequence[Source]) -> dict[str, Versions]:
        """Return each history table's rows with all columns."""

        def select(source: Source) -> str:
            return (
                f"array({texts_of(source)}), unix_timestamp(_valid_from),"
                " unix_timestamp(_valid_to), _is_current, _operation,"
                " cast(_undecodable as string), _committed_at, _kafka_partition, _kafka_offset"
            )

        found = self._ask(sources, "history.st__{}", select)
        return {
            name: sorted(((*texts, *others) for texts, *others in rows), key=repr)
            for name, rows in found.items()
        }

    def _ask(
        self,
        sources: Sequence[Source],
        relation: str,
        select: Callable[[Source], str],
        where: str = "true",
    ) -> dict[str, list[tuple[Any, ...]]]:
        # Collects the selected rows by table, in one query that reads a table's shards together:
        # each query takes most of a second.
        named = {source.shard: source.name for source in sources}
        parts: dict[str, list[str]] = {}
        for source in sources:
            shard = "shard" if source.joined else f"'{source.shard}'"
            query = f"select {shard}, {select(source)} from {relation.format(source.model)}"
            parts.setdefault(query, []).append(source.in_model)
        found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in named.values()}
        union = " union all ".join(
            f"{query} where {where} and ({' or '.join(conditions)})"
            for query, conditions in parts.items()
        )
        for shard, *row in self.spark.sql(union).collect() if union else ():
            found[named[shard]].append(tuple(row))
        return found

    def rebuild(self, *models: str) -> None:
        """Rebuild models with a full refresh."""
        built = Build(self.spark, "local", lambda node: None).invoke(
            "run", "--full-refresh", "--select", *models
        )
        assert not built.failed, built.failed


def _by_model(sources: Iterable[Source]) -> dict[str, list[Source]]:
    grouped: dict[str, list[Source]] = {}
    for source in sources:
        grouped.setdefault(source.model, []).append(source)
    return grouped


def texts_of(source: Source) -> str:
    """Return the SQL of a table's columns as texts; undecodable values appear as sent."""
    return ", ".join(
        f"if(map_contains_key(_undecodable, {sql_string(name)}),"
        f" coalesce(_undecodable[{sql_string(name)}], '{UNKNOWN}'), {_cast(name, kind)})"
        for name, kind in zip(
            column_names(source.columns).values(), source.columns.values(), strict=True
        )
    )


def _cast(name: str, kind: str | None) -> str:
    quoted = sql_name(name)
    if kind and kind.startswith("varbinary"):
        return f"decode({quoted}, 'ISO-8859-1')"
    return f"cast({quoted} as string)"
