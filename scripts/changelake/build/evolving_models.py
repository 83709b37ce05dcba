"""Current models whose sources may have changed, and the outcome for each."""

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from changelake.build.decisions import decision
from changelake.build.declared_tables import ASK, DeclaredTable, is_of_table
from changelake.core.quoting import sql_name
from changelake.core.terminal import in_line
from changelake.onboarding.change_texts import Subject
from changelake.onboarding.ddl import TableDdl
from changelake.onboarding.differences import Change
from changelake.onboarding.generated_files import is_edited, is_from_schema
from changelake.onboarding.seen import look_at_alters, seen_tables
from changelake.onboarding.shards import join_shards
from changelake.onboarding.table_events import Alter
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import SqlSession


@dataclass
class Evolution:
    """What was done about models whose sources have changed.

    Attributes:
        remarks: what was done, and what needs no decision, a line each.
        asked: what a person has to decide, a line each.
        open: decisions of earlier runs that are still open, a line each.
        decisions: by model, both of these as far as a later run can tell whether they are taken:
            for Marks.asked().
        is_changed: a model's file was written.
        differences: by model, how its source differs: for Marks.told() once all this is reported.
        sources: by model, the source tables that it is built from.
        outgrown: by model, the columns reported to have values that do not fit: for
            Marks.outgrown().
    """

    remarks: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    open: list[str] = field(default_factory=list[str])
    decisions: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    is_changed: bool = False
    differences: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    sources: dict[str, list[SourceTable]] = field(default_factory=dict[str, list[SourceTable]])
    outgrown: dict[str, dict[str, list[str]]] = field(
        default_factory=dict[str, dict[str, list[str]]]
    )

    def ask(
        self, model: str, change: Change, meta: DeclaredTable, text: str, can_stay: bool = False
    ) -> None:
        """Ask a person what to do about a difference.

        Args:
            model: its name.
            change: in what its source differs.
            meta: what it declares.
            text: what the person is told.
            can_stay: nothing is wrong if the person does nothing: it is not reported again.
        """
        text = in_line(f"{model}: {text}")
        self.asked.append(text)
        if not can_stay and (one := decision(change, meta, text)):
            self.decisions.setdefault(model, []).append(one)


class EvolvingModel:
    """A current model whose source may have changed.

    Args:
        lake: takes statements.
        name: the model's.
        meta: what it declares.
        file: where it stands.
        parts: the source tables that it is built from.
        states: the tables that keep its rows: its state, and that of each history.

    Attributes:
        subject: what texts about it need.
        renamed: former names of its columns at the source. Filled only when its statements are
            looked at: that costs a query, which most models do not need.
    """

    def __init__(
        self,
        lake: SqlSession,
        name: str,
        meta: DeclaredTable,
        file: Path,
        parts: list[SourceTable],
        states: list[str],
    ) -> None:
        self.lake, self.name, self.meta, self.file, self.parts = lake, name, meta, file, parts
        self.states = states
        self.whole = whole_tables(name, meta, parts)
        self.family = self.whole[0].family
        self.names = {column.name for part in parts for column in part.columns}
        self.is_own = is_edited(file)
        self.is_from_schema = is_from_schema(file)
        self.asks_all = self.is_own or meta["evolve"] == ASK
        self.subject = Subject(name, self.whole, meta["columns"], self.is_own, self.is_from_schema)
        self.renamed: set[str] = set()

    @functools.cached_property
    def alters(self) -> list[list[Alter]]:
        """All statements that have altered its tables, per table in the order of each partition."""
        look_at_alters(self.lake, self.parts)
        return [alters for one in self.parts for alters in one.alters]

    @functools.cached_property
    def former_names(self) -> dict[str, str]:
        """The first name of each renamed column, by its present name at the source."""
        names = {
            later[0]: first
            for source in self.whole
            for first, later in self.altered(source).renamed.items()
        }
        self.renamed |= set(names.values())
        return names

    def altered(self, source: SourceTable) -> SourceTable:
        """Return one of its tables with what has altered all of them."""
        alters, apart = self.alters, [names for one in self.parts for names in one.apart]
        return replace(source, alters=alters, apart=apart)

    def reused(self, since: int = 0) -> set[str]:
        """Return the names that a column is given, from a batch on, that another one has had."""
        found: set[str] = set()
        for alters in self.alters:
            for alter, names in zip(alters, self._ddl(alters).reused, strict=True):
                if alter.batch >= since:
                    found |= names
        return found

    def ddl(self, since: int) -> TableDdl:
        """Return what has altered its tables from a batch on."""
        return self._ddl(one for alters in self.alters for one in alters if one.batch >= since)

    def _ddl(self, alters: Iterable[Alter]) -> TableDdl:
        return TableDdl((one.ddl for one in alters), self.family, self.names)

    def last_merged(self) -> int | None:
        """Return the last batch merged into its tables; None if none is built yet."""
        tables = [f"state.{sql_name(one)}" for one in self.states]
        batches = [
            int(self.lake.sql(f"select coalesce(max(_batch), 0) from {one}").collect()[0][0])
            for one in tables
            if self.lake.catalog.tableExists(one)
        ]
        return max(batches, default=None)


def sources_of(
    lake: SqlSession, tables: Mapping[str, DeclaredTable]
) -> dict[str, list[SourceTable]]:
    """Return by model the source tables that it is built from.

    Args:
        lake: takes statements.
        tables: the meta of current models by name.
    """
    found: dict[str, list[SourceTable]] = {}
    for source in seen_tables(lake):
        for model, meta in tables.items():
            if is_of_table(meta, source.feed, source.database, source.schema, source.table):
                found.setdefault(model, []).append(source)
    return found


def whole_tables(model: str, meta: DeclaredTable, parts: list[SourceTable]) -> list[SourceTable]:
    """Return the source tables of a model, with shards joined into one.

    Args:
        model: its name.
        meta: what it declares.
        parts: the tables, see sources_of().
    """
    if pattern := meta.get("shards"):
        return [join_shards(parts, model, pattern, [model], meta.get("shard", ""))]
    return parts
