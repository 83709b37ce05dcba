"""Follows sources that change their tables: their models get new columns, names and wider types."""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from changelake.build.declared_tables import ADD, ASK, OFF, DeclaredTable, is_of_table
from changelake.build.marks import Marks
from changelake.build.table_events import Alter, TableEvents, alters_of, table_events
from changelake.core.errors import UserError, os_reason
from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name, sql_string
from changelake.core.terminal import in_line
from changelake.onboarding.ddl import altered_types, renamed_columns, reused_names
from changelake.onboarding.following import (
    Change,
    Widened,
    changes_by_values,
    changes_of,
    follow_source,
    former_names,
    widen,
)
from changelake.onboarding.generated_files import is_edited, is_from_schema
from changelake.onboarding.model_columns import declared_type, source_names
from changelake.onboarding.seen import has_documents, look_at_values, seen_tables
from changelake.onboarding.tables import SourceTable, join_shards
from changelake.spark.sql_session import Lake


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
_ASKED = ("unfit", "key", "uncounted", "altered", "reused")
_ALL_ASKED = (*_ASKED, "new", "wider")

# Of a producer that leaves nulls out a column is there again and again; the others are looked for
# in new events.
_TOLD_ONCE = ("dropped", "unmatched", "uncounted", "altered", "reused")


def evolve(
    lake: Lake,
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
        tables: the meta of the current models by name.
        files: the models' files by name.
        events: what has come since the last run.
        marks: what earlier runs have said.
    """
    done, told = _widened_again(tables, files, marks), marks.told()
    statements = _Statements(lake)
    uncounted = _uncounted(lake, tables, marks)
    # the first run sees all that there were
    new = [one for one in events if one.events in marks.batches()]
    done.sources = _sources(lake, tables)
    followed: dict[str, list[SourceTable]] = {}
    dropped: list[tuple[str, Change]] = []
    for model, parts in done.sources.items():
        meta, file = tables[model], files[model]
        if meta["evolve"] == OFF or any(map(has_documents, parts)):
            continue
        is_own = is_edited(file)
        can_widen = not is_own and not is_from_schema(file)
        whole = _whole(model, meta, parts)
        changes, renamed = _compared(model, meta, whole, can_widen, statements)
        if model in uncounted:
            changes.append(Change("uncounted", "", ""))
        if alters := alters_of(new, meta):
            batch = min(one.batch for one in alters)
            changes += _reused(model, meta, whole[0].family, statements, batch)
            changes += _altered(alters, file, parts)
        known = {Change(*one) for one in told.get(model, ())}
        unsaid = sorted(set(changes) - known)
        known = {one for one in known if one.kind in _TOLD_ONCE}
        done.told[model] = sorted(map(list, known | set(changes)))
        asks_all = is_own or meta["evolve"] == ASK
        if not asks_all and any(one.kind in ("new", "wider") for one in changes):
            followed[model] = parts
        asked = [one for one in unsaid if one.kind in (_ASKED if not asks_all else _ALL_ASKED)]
        if model not in told:
            # at first sight another key can be a person's choice, and so can a column left out
            chosen = ("key", "new") if is_own else ("key",)
            asked = [one for one in asked if one.kind not in chosen]
        if not renamed and any(one.kind == "new" for one in asked):
            renamed = statements.former_names(model, meta, whole[0].family)
        done.asked += [
            in_line(
                f"{model}: the source has renamed {old} to {one.column}: add that to its 'source'"
            )
            if one.kind == "new" and (old := renamed.get(one.column))
            else in_line(f"{model}: {one.text}")
            for one in asked
        ]
        gone = [one for one in unsaid if one.kind in ("dropped", "unmatched")]
        dropped += [(model, one) for one in gone if one.column not in renamed.values()]
    for model in sorted(followed):
        if not os.access(files[model], os.W_OK):
            done.asked.append(
                f"{files[model]} cannot be written, and lacks what the source has: make it"
                " writable, and run again"
            )
            del followed[model]
    look_at_values(lake, [one for parts in followed.values() for one in parts])
    for model, parts in followed.items():
        for source in _whole(model, tables[model], parts):
            former = _follow(
                lake, statements, model, tables[model], files[model], source, marks, done
            )
            dropped = [one for one in dropped if one[0] != model or one[1].column not in former]
    for model, one in dropped:
        lines = done.asked if one.kind == "unmatched" else done.said
        lines.append(in_line(f"{model}: {one.text}"))
    return done


def evolve_by_values(
    lake: Lake,
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


def _compared(
    model: str, meta: DeclaredTable, whole: list[SourceTable], can_widen: bool,
    statements: "_Statements",
) -> tuple[list[Change], dict[str, str]]:  # fmt: skip
    # In what a model differs from its tables; and where these have been looked at, former names.
    changes = [one for source in whole for one in changes_of(source, meta, can_widen)]
    if not {"new", "key"} <= {one.kind for one in changes}:
        return changes, {}
    # a column of the key by another name
    renamed = statements.former_names(model, meta, whole[0].family)
    return [
        one for source in whole for one in changes_of(source, meta, can_widen, renamed)
    ], renamed


def _follow(
    lake: Lake, statements: "_Statements", model: str, meta: DeclaredTable, file: Path,
    source: SourceTable, marks: Marks, done: Evolution,
) -> set[str]:  # fmt: skip
    # Let a model follow one of its tables; return the names that columns no longer have there.
    batches = {one.name: one.first_batch for one in source.columns}
    changes = changes_of(source, meta, can_widen=not is_from_schema(file))
    new = {one.column for one in changes if one.kind == "new"}
    alters = [one.ddl for one in statements.of(model, meta)] if new else []
    # what another column is called by now is no name of this one
    reused = reused_names(((one, True) for one in alters), source.family)
    renamed: dict[str, list[str]] = {}
    for first, later in renamed_columns(alters, source.family).items():
        names = [one for one in (*later, first) if one not in reused]
        if len(names) > 1 and new.intersection(names[:-1] if names[-1] == first else names):
            renamed[names[-1]] = names[:-1]
    # the pending events bring only what they have
    merged = _last_merged(lake, meta["state"])
    if merged is not None and (
        renamed
        or any(one.kind == "wider" for one in changes)
        # without a key all columns tell rows apart
        or (new and not meta.get("key"))
        or any(batches[name] <= merged for name in new)
    ):
        # before its model is written: whatever happens then, the table is built anew
        marks.write(rebuild=sorted({*marks.rebuild(), model}))
    try:
        followed = follow_source(source, file, can_change=True, renamed=renamed)
    except (UserError, OSError) as error:
        text = os_reason(error) if isinstance(error, OSError) else str(error)
        done.asked.append(in_line(f"{model}: {text}"))
        return set()
    lines = [f"added {name}, new at the source" for name in followed.added]
    lines += [f"{one}, as at the source" for one in followed.changed]
    done.is_changed |= bool(lines)
    if followed.inferred:
        lines.append(f"types inferred from the values seen: {', '.join(followed.inferred)}")
    done.said += [in_line(f"{model}: {one}") for one in lines]
    return {name for first, later in renamed.items() for name in (first, *later[1:])}


class _Statements:
    """The statements that have altered the tables of models, each model's asked for once."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._known: dict[str, list[Alter]] = {}

    def of(self, model: str, meta: DeclaredTable) -> list[Alter]:
        """Return those of a model's tables, in the order of each partition."""
        if model not in self._known:
            feeds = ", ".join(map(sql_string, meta["feeds"]))
            which = f"event_type = 'schema' and feed in ({feeds})"
            self._known[model] = alters_of(table_events(self._lake, {meta["events"]: which}), meta)
        return self._known[model]

    def former_names(self, model: str, meta: DeclaredTable, family: str) -> dict[str, str]:
        """Return by the name that a column has at the source by now the first one."""
        renamed = renamed_columns((one.ddl for one in self.of(model, meta)), family)
        return {later[0]: first for first, later in renamed.items()}


def _reused(
    model: str, meta: DeclaredTable, family: str, statements: "_Statements", batch: int
) -> list[Change]:
    # The columns whose names another one has had until a batch.
    known = {name for key, one in meta["columns"].items() for name in source_names(key, one)}
    said = ((one.ddl, one.batch >= batch) for one in statements.of(model, meta))
    former = former_names(meta)
    return [
        Change("reused", name, "former" if name in former else "")
        for name in sorted(reused_names(said, family) & known)
    ]


def _altered(alters: list[Alter], file: Path, parts: list[SourceTable]) -> list[Change]:
    # The types that new statements give columns, and no message tells.
    if not is_from_schema(file):
        return []
    untyped = {one.name for part in parts for one in part.columns if not one.type_text}
    types = altered_types((one.ddl for one in alters), parts[0].family)
    return [Change("altered", one, types[one]) for one in sorted(untyped & types.keys())]


def _uncounted(lake: Lake, tables: dict[str, DeclaredTable], marks: Marks) -> set[str]:
    # The models without a key of which updates have come that do not tell the row before.
    bags = {
        name: meta for name, meta in tables.items() if not meta.get("key") and meta["evolve"] != OFF
    }
    found: set[str] = set()
    for events in sorted({meta["events"] for meta in bags.values()}):
        since = marks.batches().get(events, 0) if bags.keys() <= marks.told().keys() else 0
        relation = f"silver.{sql_name(events)}"
        rows = lake.sql(macro_sql("onboarding", "uncounted_tables", relation, str(since))).collect()
        found |= {
            name
            for name, meta in bags.items()
            if meta["events"] == events and any(is_of_table(meta, *row) for row in rows)
        }
    return found


def _last_merged(lake: Lake, state: str) -> int | None:
    # The last batch of which a table has changes; none where it is not built yet.
    tables = [f"state.{sql_name(one)}" for one in (state, f"{state}__history")]
    built = [one for one in tables if lake.catalog.tableExists(one)]
    batches = [
        int(lake.sql(f"select coalesce(max(_batch), 0) from {one}").collect()[0][0])
        for one in built
    ]
    return max(batches, default=None)


def _sources(lake: Lake, tables: Mapping[str, DeclaredTable]) -> dict[str, list[SourceTable]]:
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
