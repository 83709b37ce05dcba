"""Follows sources that change their tables: their models get new columns, names and wider types."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from changelake.build.decisions import still_open, texts_of
from changelake.build.declared_tables import OFF, DeclaredTable, is_of_table
from changelake.build.evolving_models import Evolution, EvolvingModel, sources_of, whole_tables
from changelake.build.marks import Marks
from changelake.build.widening import widen_again
from changelake.core.errors import UserError, os_reason
from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name
from changelake.core.terminal import in_line
from changelake.onboarding.change_texts import change_text, holds_both, renamed_text
from changelake.onboarding.differences import Change, Kind, changes_of, split_columns
from changelake.onboarding.following import follow_source
from changelake.onboarding.model_columns import source_names
from changelake.onboarding.model_remarks import remark_on_inferred
from changelake.onboarding.renamed_columns import former_names, is_renamed
from changelake.onboarding.seen import has_documents, look_at_values
from changelake.onboarding.table_events import TableEvents
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import SqlSession

# What no run decides by itself, and what it follows unless a person edits the model or wants to be
# asked.
_ASKED: tuple[Kind, ...] = ("unfit", "key", "uncounted", "altered", "reused", "hidden")
_FOLLOWED: tuple[Kind, ...] = ("new", "wider", "split")

# With a producer that leaves nulls out, a column comes and goes; the other kinds show in new events
# only.
_TOLD_ONCE: tuple[Kind, ...] = ("dropped", "unmatched", "uncounted", "altered", "reused", "split")


def evolve(
    lake: SqlSession,
    tables: dict[str, DeclaredTable],
    files: dict[str, Path],
    events: list[TableEvents],
    marks: Marks,
) -> Evolution:
    """Update models to what their sources are by now, and collect what a person has to decide.

    What can be followed is followed whenever a model lacks it. Remarks are made once, and decisions
    are reported as open until they are taken. Tables to rebuild are marked as such before their
    models are written, until they are rebuilt.

    Args:
        lake: takes statements, silver built.
        tables: the meta of the models of current and history tables by name.
        files: the current models' files by name.
        events: the events since the last run.
        marks: what earlier runs have recorded.
    """
    current = {name: tables[name] for name in files}
    evolution, told, asked = widen_again(current, files, marks), marks.told(), marks.asked()
    evolution.sources = sources_of(lake, current)
    models = _models(lake, tables, files, evolution.sources)
    uncounted = _uncounted(lake, models, marks)
    # the first run would see all statements that there ever were
    new = [one for one in events if one.alters and one.events in marks.batches()]
    followed: list[EvolvingModel] = []
    dropped: list[tuple[EvolvingModel, Change]] = []
    for model in models:
        changes = _changes(model, _first_altered(model, new))
        if model.name in uncounted:
            changes.append(Change("uncounted", "", ""))
        unsaid = _take_note(model, changes, told.get(model.name, []), evolution)
        if not model.asks_all and any(one.kind in _FOLLOWED for one in changes):
            followed.append(model)
        earlier = still_open(asked.get(model.name, ()), _asked_of(model, changes), model.meta)
        if earlier:
            evolution.open += texts_of(earlier)
            evolution.decisions[model.name] = earlier
        _ask(model, unsaid, evolution, is_first=model.name not in told)
        dropped += [(model, one) for one in unsaid if one.kind in ("dropped", "unmatched")]
    followed = _writable(followed, evolution)
    look_at_values(lake, [one for model in followed for one in model.parts])
    for model in followed:
        # now with their values
        for source in whole_tables(model.name, model.meta, model.parts):
            _follow(model, source, marks, evolution)
    for model, one in dropped:
        # a renamed column is not dropped
        if one.column not in model.renamed:
            text = change_text(one, model.subject)
            if one.kind == "unmatched":
                evolution.ask(model.name, one, model.meta, text)
            else:
                evolution.remarks.append(in_line(f"{model.name}: {text}"))
    return evolution


def _models(
    lake: SqlSession,
    tables: Mapping[str, DeclaredTable],
    files: Mapping[str, Path],
    sources: Mapping[str, list[SourceTable]],
) -> list[EvolvingModel]:
    # The current models that are to follow their sources.
    states: dict[str, list[str]] = {}
    for meta in tables.values():
        states.setdefault(meta["current"], []).append(meta["state"])
    return [
        EvolvingModel(lake, name, tables[name], files[name], parts, states[name])
        for name, parts in sources.items()
        if tables[name]["evolve"] != OFF and not any(map(has_documents, parts))
    ]


def _first_altered(model: EvolvingModel, events: list[TableEvents]) -> int | None:
    # The first batch with statements that alter a model's tables.
    batches = [
        alter.batch
        for one in events
        if is_of_table(model.meta, *one.place)
        for alter in one.statements
    ]
    return min(batches, default=None)


def _take_note(
    model: EvolvingModel, changes: list[Change], told: list[list[str]], evolution: Evolution
) -> list[Change]:
    # Record how a source differs, for the marks; return what was not reported before.
    known = {Change(cast(Kind, one[0]), *one[1:]) for one in told}
    once = {one for one in known if one.kind in _TOLD_ONCE}
    evolution.differences[model.name] = sorted(map(list, once | set(changes)))
    return sorted(set(changes) - known)


def _writable(models: list[EvolvingModel], evolution: Evolution) -> list[EvolvingModel]:
    # The models that can be written; for the others a person is asked.
    found: list[EvolvingModel] = []
    for model in models:
        # a file is replaced by one written beside it
        if all(os.access(one, os.W_OK) for one in (model.file, model.file.parent)):
            found.append(model)
        else:
            evolution.asked.append(
                f"{model.file} cannot be written, and lacks what the source has: make it"
                " writable, and run again"
            )
    return found


def _changes(model: EvolvingModel, batch: int | None) -> list[Change]:
    # How a model differs from its tables, and what statements since a batch add to that.
    can_widen = not model.is_own and not model.is_from_schema

    def compared(renamed: Mapping[str, str] | None = None) -> list[Change]:
        return [
            one
            for source in model.whole
            for one in changes_of(source, model.meta, can_widen, renamed)
        ]

    changes = compared()
    if {"new", "key"} <= {one.kind for one in changes}:
        # perhaps a renamed column of the key
        changes = compared(model.former_names)
    if batch is not None:
        changes += _reused(model, batch) + _altered(model, batch) + _unmatched(model, batch)
        for source in model.whole:
            changes += split_columns(model.altered(source), model.meta)
    return changes


def _reused(model: EvolvingModel, batch: int) -> list[Change]:
    # The columns with names that another column had before a batch.
    columns = model.meta["columns"]
    known = {name for key, one in columns.items() for name in source_names(key, one)}
    former = former_names(model.meta)
    return [
        Change("reused", name, "former" if name in former else "")
        for name in sorted(model.reused(batch) & known)
    ]


def _unmatched(model: EvolvingModel, batch: int) -> list[Change]:
    # The dropped columns of a table without a key, where every column tells rows apart. The rows
    # themselves show the drop only in later batches.
    if model.meta.get("key"):
        return []
    newest = {source_names(key, one)[0] for key, one in model.meta["columns"].items()}
    return [Change("unmatched", one, "") for one in sorted(newest & model.ddl(batch).dropped)]


def _altered(model: EvolvingModel, batch: int) -> list[Change]:
    # The types that new statements give to columns whose types no message tells.
    if not model.is_from_schema:
        return []
    untyped = {one.name for part in model.parts for one in part.columns if not one.type_text}
    types = model.ddl(batch).altered_types
    return [Change("altered", one, types[one]) for one in sorted(untyped & types.keys())]


def _asked_of(model: EvolvingModel, changes: list[Change]) -> list[Change]:
    # The changes that a person has to decide about.
    kinds = _ASKED + _FOLLOWED if model.asks_all else _ASKED
    return [one for one in changes if one.kind in kinds]


def _ask(model: EvolvingModel, unsaid: list[Change], evolution: Evolution, is_first: bool) -> None:
    # Ask a person about what was not reported before.
    asked = _asked_of(model, unsaid)
    if is_first:
        # a different key can be a person's choice, and so can a missing column
        kinds = ("key", "new") if model.is_own else ("key",)
        asked = [one for one in asked if one.kind not in kinds]
    former = model.former_names if any(one.kind == "new" for one in asked) else {}
    for one in asked:
        old = former.get(one.column) if one.kind == "new" else None
        text = (
            renamed_text(one.column, old, model.subject) if old else change_text(one, model.subject)
        )
        evolution.ask(model.name, one, model.meta, text, can_stay=holds_both(one, model.subject))


def _follow(model: EvolvingModel, source: SourceTable, marks: Marks, evolution: Evolution) -> None:
    # Let a model follow one of its tables.
    source = model.altered(source)
    batches = {one.name: one.first_batch for one in source.columns}
    changes = changes_of(source, model.meta, can_widen=not model.is_from_schema)
    new = {one.column for one in changes if one.kind == "new"}
    # a merge of the pending events fills new columns only for their rows
    merged, rebuild = model.last_merged(), marks.rebuild()
    if merged is not None and (
        is_renamed(source, model.meta)
        or any(one.kind == "wider" for one in changes)
        # without a key, every column tells rows apart
        or (new and not model.meta.get("key"))
        or any(batches[name] <= merged for name in new)
    ):
        # before its model is written: the table is rebuilt whatever happens then
        marks.write(rebuild=sorted({*rebuild, model.name}))
    before = model.file.read_text(encoding="utf-8")
    try:
        followed = follow_source(source, model.file, can_change=True)
    except (UserError, OSError) as error:
        if model.file.read_text(encoding="utf-8") == before:
            marks.write(rebuild=sorted(rebuild))
        text = os_reason(error) if isinstance(error, OSError) else str(error)
        evolution.asked.append(in_line(f"{model.name}: {text}"))
        return
    model.renamed |= {
        name for first, later in source.renamed.items() for name in {first, *later} - {later[0]}
    }
    lines = [f"added {name}, new at the source" for name in followed.added]
    lines += followed.changed
    evolution.is_changed |= bool(lines)
    if followed.inferred:
        lines.append(remark_on_inferred(source, followed.inferred))
    evolution.remarks += [in_line(f"{model.name}: {one}") for one in lines]


def _uncounted(lake: SqlSession, models: list[EvolvingModel], marks: Marks) -> set[str]:
    # The models without a key whose updates lack the old row.
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
    # Whether an image of this many columns lacks some that the table had. Columns that were added
    # since do not count, as older rows lack them; in the first run that is not known.
    if columns is None:
        return False
    had = [one for one in table.columns if not since or one.first_batch <= since]
    return columns < sum(not one.is_dropped for one in had)
