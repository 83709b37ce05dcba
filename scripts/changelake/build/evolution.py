"""Follows sources that change their tables: their models get new columns, names and wider types."""

import contextlib
import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from changelake.build.declared_tables import ADD, ASK, OFF, DeclaredTable, is_of_table
from changelake.build.marks import Marks
from changelake.core.errors import UserError, os_reason
from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name
from changelake.core.terminal import in_line
from changelake.onboarding.ddl import altered_types, dropped_columns, reused_names
from changelake.onboarding.differences import (
    Change,
    Kind,
    changes_by_values,
    changes_of,
    split_columns,
)
from changelake.onboarding.following import Widened, follow_source, widen
from changelake.onboarding.generated_files import is_edited, is_from_schema
from changelake.onboarding.model_columns import declared_type, source_names
from changelake.onboarding.renamed_columns import former_names, is_renamed
from changelake.onboarding.seen import (
    has_documents,
    look_at_alters,
    look_at_values,
    seen_tables,
)
from changelake.onboarding.shards import join_shards
from changelake.onboarding.table_events import Alter, TableEvents
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import SqlSession


@dataclass
class Evolution:
    """What became of models whose sources have changed.

    Attributes:
        said: what was done, and what needs nobody, a line each.
        asked: what a person has to decide, a line each.
        is_changed: a model's file was written.
        told: by model how its source differs, for the marks once all of this is said.
        sources: by model the tables that it is made of, as they are seen.
        outgrown: by model the columns that are said not to hold what comes, for Marks.outgrown().
    """

    said: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    is_changed: bool = False
    told: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    sources: dict[str, list[SourceTable]] = field(default_factory=dict[str, list[SourceTable]])
    outgrown: dict[str, dict[str, list[str]]] = field(
        default_factory=dict[str, dict[str, list[str]]]
    )


# What no run decides by itself, and what it does not where a person edits the model or is asked.
_ASKED: tuple[Kind, ...] = ("unfit", "key", "uncounted", "altered", "reused", "hidden")
_FOLLOWED: tuple[Kind, ...] = ("new", "wider", "split")

# Of a producer that leaves nulls out a column is there again and again; the others are looked for
# in new events.
_TOLD_ONCE: tuple[Kind, ...] = ("dropped", "unmatched", "uncounted", "altered", "reused", "split")


def evolve(
    lake: SqlSession,
    tables: dict[str, DeclaredTable],
    files: dict[str, Path],
    events: list[TableEvents],
    marks: Marks,
) -> Evolution:
    """Bring models up to what their sources are by now, and say what a person has to decide.

    What can be followed is followed whenever a model lacks it; what is only said is said once. The
    tables that have to be built anew are marked before their models are written, until they are.

    Args:
        lake: takes statements, silver built.
        tables: the meta of the models of current and history tables by name.
        files: the current models' files by name.
        events: what has come since the last run.
        marks: what earlier runs have said.
    """
    current = {name: tables[name] for name in files}
    done, told = _widened_again(current, files, marks), marks.told()
    done.sources = _sources(lake, current)
    states: dict[str, list[str]] = {}
    for meta in tables.values():
        states.setdefault(meta["current"], []).append(meta["state"])
    models = [
        _Model(lake, name, current[name], files[name], parts, states[name])
        for name, parts in done.sources.items()
        if current[name]["evolve"] != OFF and not any(map(has_documents, parts))
    ]
    uncounted = _uncounted(lake, models, marks)
    # the first run sees all that there were
    new = [one for one in events if one.alters and one.events in marks.batches()]
    followed: list[_Model] = []
    dropped: list[tuple[_Model, Change]] = []
    for model in models:
        altered = [
            alter.batch
            for one in new
            if is_of_table(model.meta, *one.place)
            for alter in one.statements
        ]
        changes = _changes(model, min(altered, default=None))
        if model.name in uncounted:
            changes.append(Change("uncounted", "", ""))
        known = {Change(cast(Kind, one[0]), *one[1:]) for one in told.get(model.name, ())}
        unsaid = sorted(set(changes) - known)
        known = {one for one in known if one.kind in _TOLD_ONCE}
        done.told[model.name] = sorted(map(list, known | set(changes)))
        if not model.asks_all and any(one.kind in _FOLLOWED for one in changes):
            followed.append(model)
        done.asked += _questions(model, unsaid, is_first=model.name not in told)
        dropped += [(model, one) for one in unsaid if one.kind in ("dropped", "unmatched")]
    for model in followed[:]:
        # it is written beside, and put in its place
        if not all(os.access(one, os.W_OK) for one in (model.file, model.file.parent)):
            done.asked.append(
                f"{model.file} cannot be written, and lacks what the source has: make it"
                " writable, and run again"
            )
            followed.remove(model)
    look_at_values(lake, [one for model in followed for one in model.parts])
    for model in followed:
        # their values are known now
        for source in _whole(model.name, model.meta, model.parts):
            _follow(model, source, marks, done)
    for model, one in dropped:
        if one.column not in model.renamed:
            lines = done.asked if one.kind == "unmatched" else done.said
            lines.append(in_line(f"{model.name}: {one.text}"))
    return done


def evolve_by_values(
    lake: SqlSession,
    tables: Mapping[str, DeclaredTable],
    files: Mapping[str, Path],
    marks: Marks,
    outgrown: Mapping[str, Mapping[str, list[str]]],
    seen: Evolution,
) -> None:
    """Widen columns whose types are guesses, and do not hold a value that has come.

    Of what a person has written, or a schema file, it is only said.

    Args:
        lake: takes statements, the tables built.
        tables, files, marks: see evolve().
        outgrown: see outgrown_columns().
        seen: what evolve() has found; gets what is done here.
    """
    look_at_values(lake, [one for model in outgrown for one in seen.sources[model]])
    seen.outgrown = marks.outgrown()
    for model, names in sorted(outgrown.items()):
        meta, file = tables[model], files[model]
        is_own = meta["evolve"] == ASK or is_edited(file) or not os.access(file, os.W_OK)
        is_told = is_from_schema(file)
        sources = _whole(model, meta, seen.sources[model])
        changes = changes_by_values(sources, meta, names, can_widen=not is_own and not is_told)
        wider = {name: one for name, one in changes.items() if one.kind == "wider"}
        widened = _widen(model, file, meta, wider, marks)
        seen.said += [in_line(f"{model}: {one.text}, for values seen") for one in widened]
        seen.is_changed |= bool(widened)
        done = {one.name for one in widened}
        for name, change in changes.items():
            if name in done:
                continue
            # a schema file knows better than the values which type it is
            kind = "undecodable" if is_told or change.kind == "undecodable" else "outgrown"
            lines = seen.asked if kind == "outgrown" else seen.said
            lines.append(in_line(f"{model}: {change._replace(kind=kind).text}"))
            of_model = seen.outgrown.setdefault(model, {})
            of_model[name] = names[name][:1] if kind == "outgrown" else names[name]


def _widen(
    model: str, file: Path, meta: DeclaredTable, changes: Mapping[str, Change], marks: Marks
) -> list[Widened]:
    # Widen columns of a model; return those that were.
    if not changes:
        return []
    rebuild, widened = marks.rebuild(), marks.widened()
    types = [
        [one.column, declared_type(meta["columns"][name]), one.detail]
        for name, one in changes.items()
    ]
    # before its model is written: whatever happens then, the table is built anew
    marks.write(
        rebuild=sorted({*rebuild, model}),
        widened=widened | {model: [*widened.get(model, []), *types]},
    )
    done: list[Widened] = []
    # where it cannot be written after all, a person is asked
    with contextlib.suppress(UserError, OSError):
        for column, _, now in types:
            if one := widen(file, column, now):
                done.append(one)
    if not done:
        marks.write(rebuild=sorted(rebuild), widened=widened)
    return done


def _widened_again(
    tables: Mapping[str, DeclaredTable], files: Mapping[str, Path], marks: Marks
) -> Evolution:
    # A project that is deployed anew may have the models of before, and the tables are wider.
    done = Evolution()
    for model, columns in marks.widened().items():
        file = files.get(model)
        if file is None or tables[model]["evolve"] != ADD:
            continue
        if is_edited(file) or is_from_schema(file):
            continue
        for column, before, now in columns:
            with contextlib.suppress(UserError, OSError):
                if one := widen(file, column, now, before):
                    done.said.append(in_line(f"{model}: {one.text}, as in the table"))
                    done.is_changed = True
    return done


class _Model:
    """A current model whose source may have changed.

    Args:
        lake: takes statements.
        name: the model's.
        meta: what it declares.
        file: where it stands.
        parts: the tables that it is made of, as they are seen.
        states: the tables that keep its rows: its state, and that of each history.

    Attributes:
        renamed: the names that its columns no longer have at the source, as far as they were asked.
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
        self.whole = _whole(name, meta, parts)
        self.family = self.whole[0].family
        self.names = {column.name for part in parts for column in part.columns}
        self.is_own = is_edited(file)
        self.is_from_schema = is_from_schema(file)
        self.asks_all = self.is_own or meta["evolve"] == ASK
        self.renamed: set[str] = set()

    @functools.cached_property
    def alters(self) -> list[list[Alter]]:
        """All statements that have altered its tables, of each in the order of its partitions."""
        look_at_alters(self.lake, self.parts)
        return [alters for one in self.parts for alters in one.alters]

    @functools.cached_property
    def former_names(self) -> dict[str, str]:
        """By the name that a column has at the source by now the first one."""
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
            said = ((one.ddl, one.batch >= since) for one in alters)
            found |= reused_names(said, self.family, self.names)
        return found

    def statements(self, since: int) -> list[str]:
        """Return the statements that have altered its tables from a batch on."""
        return [one.ddl for alters in self.alters for one in alters if one.batch >= since]


def _changes(model: _Model, batch: int | None) -> list[Change]:
    # In what a model differs from its tables, and what statements tell since a batch.
    can_widen = not model.is_own and not model.is_from_schema

    def compared(renamed: Mapping[str, str] | None = None) -> list[Change]:
        return [
            one
            for source in model.whole
            for one in changes_of(source, model.meta, can_widen, renamed)
        ]

    changes = compared()
    if {"new", "key"} <= {one.kind for one in changes}:
        # perhaps a column of the key by another name
        changes = compared(model.former_names)
    if batch is not None:
        changes += _reused(model, batch) + _altered(model, batch) + _unmatched(model, batch)
        for source in model.whole:
            changes += split_columns(model.altered(source), model.meta)
    return changes


def _reused(model: _Model, batch: int) -> list[Change]:
    # The columns whose names another one has had until a batch.
    columns = model.meta["columns"]
    known = {name for key, one in columns.items() for name in source_names(key, one)}
    former = former_names(model.meta)
    return [
        Change("reused", name, "former" if name in former else "")
        for name in sorted(model.reused(batch) & known)
    ]


def _unmatched(model: _Model, batch: int) -> list[Change]:
    # The columns that new statements drop, by which rows without a key are told apart: the rows say
    # so only in later batches.
    if model.meta.get("key"):
        return []
    newest = {source_names(key, one)[0] for key, one in model.meta["columns"].items()}
    dropped = dropped_columns(model.statements(batch), model.family, model.names)
    return [Change("unmatched", one, "") for one in sorted(newest & dropped)]


def _altered(model: _Model, batch: int) -> list[Change]:
    # The types that new statements give columns, and no message tells.
    if not model.is_from_schema:
        return []
    untyped = {one.name for part in model.parts for one in part.columns if not one.type_text}
    types = altered_types(model.statements(batch), model.family, model.names)
    return [Change("altered", one, types[one]) for one in sorted(untyped & types.keys())]


def _questions(model: _Model, unsaid: list[Change], is_first: bool) -> list[str]:
    # What a person has to decide, of what was not said before.
    kinds = {*_ASKED, *_FOLLOWED} if model.asks_all else {*_ASKED}
    if is_first:
        # another key can be a person's choice, and so can a column left out
        kinds -= {"key", "new"} if model.is_own else {"key"}
    asked = [one for one in unsaid if one.kind in kinds]
    former = model.former_names if any(one.kind == "new" for one in asked) else {}
    return [
        in_line(
            f"{model.name}: the source has renamed {old} to {one.column}: add that to its 'source'"
        )
        if one.kind == "new" and (old := former.get(one.column))
        else in_line(f"{model.name}: {one.text}")
        for one in asked
    ]


def _follow(model: _Model, source: SourceTable, marks: Marks, done: Evolution) -> None:
    # Let a model follow one of its tables.
    source = model.altered(source)
    batches = {one.name: one.first_batch for one in source.columns}
    changes = changes_of(source, model.meta, can_widen=not model.is_from_schema)
    new = {one.column for one in changes if one.kind == "new"}
    # the pending events bring only what they have
    merged, rebuild = _last_merged(model), marks.rebuild()
    if merged is not None and (
        is_renamed(source, model.meta)
        or any(one.kind == "wider" for one in changes)
        # without a key all columns tell rows apart
        or (new and not model.meta.get("key"))
        or any(batches[name] <= merged for name in new)
    ):
        # before its model is written: whatever happens then, the table is built anew
        marks.write(rebuild=sorted({*rebuild, model.name}))
    before = model.file.read_text(encoding="utf-8")
    try:
        followed = follow_source(source, model.file, can_change=True)
    except (UserError, OSError) as error:
        if model.file.read_text(encoding="utf-8") == before:
            marks.write(rebuild=sorted(rebuild))
        text = os_reason(error) if isinstance(error, OSError) else str(error)
        done.asked.append(in_line(f"{model.name}: {text}"))
        return
    model.renamed |= {
        name for first, later in source.renamed.items() for name in {first, *later} - {later[0]}
    }
    lines = [f"added {name}, new at the source" for name in followed.added]
    lines += [f"{one}, as at the source" for one in followed.changed]
    done.is_changed |= bool(lines)
    if followed.inferred:
        lines.append(f"types inferred from the values seen: {', '.join(followed.inferred)}")
    done.said += [in_line(f"{model.name}: {one}") for one in lines]


def _uncounted(lake: SqlSession, models: list[_Model], marks: Marks) -> set[str]:
    # The models without a key of which updates have come that do not tell the row before.
    bags = [one for one in models if not one.meta.get("key")]
    is_known = {one.name for one in bags} <= marks.told().keys()
    found: set[str] = set()
    for events in sorted({one.meta["events"] for one in bags}):
        since = marks.batches().get(events, 0) if is_known else 0
        relation = f"silver.{sql_name(events)}"
        rows = lake.sql(macro_sql("onboarding", "uncounted_tables", relation, str(since))).collect()
        lacking = {tuple(row[:4]): row for row in rows}
        found |= {
            one.name
            for one in bags
            for part in one.parts
            if (row := lacking.get((part.feed, part.database, part.schema, part.table)))
            and (row.lacks_before or _is_smaller(row.smallest_before, part, since))
        }
    return found


def _is_smaller(columns: int | None, table: SourceTable, since: int) -> bool:
    # Whether so many columns are not all that a table had. Those that have come since are left out,
    # which rows from before do not have; in the first run that is not known.
    if columns is None:
        return False
    had = [one for one in table.columns if not since or one.first_batch <= since]
    return columns < sum(not one.is_dropped for one in had)


def _last_merged(model: _Model) -> int | None:
    # The last batch of which a table has changes; none where it is not built yet.
    tables = [f"state.{sql_name(one)}" for one in model.states]
    batches = [
        int(model.lake.sql(f"select coalesce(max(_batch), 0) from {one}").collect()[0][0])
        for one in tables
        if model.lake.catalog.tableExists(one)
    ]
    return max(batches, default=None)


def _sources(lake: SqlSession, tables: Mapping[str, DeclaredTable]) -> dict[str, list[SourceTable]]:
    # By model the tables that it is made of.
    found: dict[str, list[SourceTable]] = {}
    for source in seen_tables(lake):
        for model, meta in tables.items():
            if is_of_table(meta, source.feed, source.database, source.schema, source.table):
                found.setdefault(model, []).append(source)
    return found


def _whole(model: str, meta: DeclaredTable, parts: list[SourceTable]) -> list[SourceTable]:
    # The tables that a model is made of, shards as one.
    if pattern := meta.get("shards"):
        return [join_shards(parts, model, pattern, [model], meta.get("shard", ""))]
    return parts
