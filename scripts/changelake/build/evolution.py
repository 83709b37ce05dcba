"""Follows sources that change their tables: their models get new columns, names and wider types."""

import os
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from changelake.build.declared_tables import ASK, OFF, DeclaredTable, is_of_table
from changelake.build.marks import Marks
from changelake.core.errors import UserError, os_reason
from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name, sql_string
from changelake.core.terminal import in_line
from changelake.onboarding.ddl import renamed_columns
from changelake.onboarding.following import (
    Change,
    changes_by_values,
    changes_of,
    follow_source,
    widen,
)
from changelake.onboarding.generated_files import is_edited, is_from_schema
from changelake.onboarding.model_columns import declared_type
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
        outgrown: by model the types of columns that are said not to hold what comes, for the marks.
    """

    said: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    is_changed: bool = False
    told: dict[str, list[list[str]]] = field(default_factory=dict[str, list[list[str]]])
    sources: dict[str, list[SourceTable]] = field(default_factory=dict[str, list[SourceTable]])
    outgrown: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])


def evolve(
    lake: Lake,
    tables: dict[str, DeclaredTable],
    files: dict[str, Path],
    marks: Marks,
) -> Evolution:
    """Bring models up to what their sources are by now, and say what a person has to decide.

    What can be followed is followed whenever a model lacks it; what is only said is said once. The
    tables that have to be built anew are marked before their models are written, until they are.

    Args:
        lake: takes statements, silver built.
        tables: the meta of the current models by name.
        files: the models' files by name.
        marks: what earlier runs have said.
    """
    done, told = _widened_again(files, marks), marks.told()
    uncounted = _uncounted(lake, tables, marks)
    done.sources = _sources(lake, tables)
    followed: dict[str, list[SourceTable]] = {}
    for model, parts in done.sources.items():
        meta, file = tables[model], files[model]
        if meta["evolve"] == OFF or any(map(has_documents, parts)):
            continue
        is_own, is_first = is_edited(file), model not in told
        can_widen = not is_own and not is_from_schema(file)
        changes = [
            change
            for source in _whole(model, meta, parts)
            for change in changes_of(source, meta, can_widen)
        ]
        if model in uncounted:
            changes.append(Change("uncounted", "", ""))
        known = {Change(*one) for one in told.get(model, ())}
        unsaid = sorted(set(changes) - known)
        # of a producer that leaves nulls out a column is there again and again
        known = {one for one in known if one.kind in ("dropped", "uncounted")}
        done.told[model] = sorted(map(list, known | set(changes)))
        if meta["evolve"] == ASK or is_own:
            asked = [one for one in unsaid if one.kind != "dropped"]
        else:
            asked = [one for one in unsaid if one.kind in ("unfit", "key", "uncounted")]
            if any(one.kind in ("new", "wider") for one in changes):
                followed[model] = parts
        # at first sight another key can be a person's choice, and so can a column that is left out
        asked = [
            one
            for one in asked
            if not is_first or one.kind not in ("key", *(["new"] if is_own else []))
        ]
        done.asked += [in_line(f"{model}: {one.text}") for one in asked]
        done.said += [in_line(f"{model}: {one.text}") for one in unsaid if one.kind == "dropped"]
    for model in sorted(followed):
        if remark := _not_writable(files[model]):
            done.asked.append(remark)
            del followed[model]
    look_at_values(lake, [one for parts in followed.values() for one in parts])
    for model, parts in followed.items():
        for source in _whole(model, tables[model], parts):
            _follow(lake, model, tables[model], files[model], source, marks, done)
    return done


def evolve_by_values(
    lake: Lake,
    tables: Mapping[str, DeclaredTable],
    files: Mapping[str, Path],
    marks: Marks,
    outgrown: Mapping[str, Set[str]],
    seen: Evolution,
) -> None:
    """Widen columns whose types are guesses, and do not hold a value that has come.

    Of what a person has written, or a schema file, it is only said, once for each type.

    Args:
        lake: takes statements, the tables built.
        tables, files, marks: see evolve().
        outgrown: the columns by current model, see outgrown_columns().
        seen: what evolve() has found; gets what is done here.
    """
    look_at_values(lake, [one for model in outgrown for one in seen.sources[model]])
    widened, seen.outgrown = marks.widened(), marks.outgrown()
    for model, names in sorted(outgrown.items()):
        meta, file = tables[model], files[model]
        can_widen = meta["evolve"] != ASK and not is_edited(file) and not is_from_schema(file)
        sources = _whole(model, meta, seen.sources[model])
        changes = changes_by_values(sources, meta, names, can_widen)
        wider = {name: one for name, one in changes.items() if one.kind == "wider"}
        if wider and (remark := _not_writable(file)):
            seen.asked.append(remark)
        elif wider:
            # before its model is written: whatever happens then, the table is built anew
            marks.write(rebuild=sorted({*marks.rebuild(), model}))
            for name, change in wider.items():
                if done := widen(file, change.column, change.detail):
                    widened.setdefault(model, []).append([*done[:3]])
                    seen.said.append(in_line(f"{model}: {done.text}, for values seen"))
                else:
                    changes[name] = change._replace(kind="outgrown")
            seen.is_changed = True
            marks.write(widened=widened)
        for name, change in changes.items():
            if change.kind != "wider":
                lines = seen.asked if change.kind == "outgrown" else seen.said
                lines.append(in_line(f"{model}: {change.text}"))
                types = {name: declared_type(meta["columns"][name])}
                seen.outgrown[model] = seen.outgrown.get(model, {}) | types


def _widened_again(files: Mapping[str, Path], marks: Marks) -> Evolution:
    # A project that is deployed anew may have the models of before, and the tables are wider.
    done = Evolution()
    for model, columns in marks.widened().items():
        for column, before, now in columns:
            file = files.get(model)
            if file is None or is_from_schema(file) or not os.access(file, os.W_OK):
                continue
            if one := widen(file, column, now, before):
                done.said.append(in_line(f"{model}: {one.text}, as in the table"))
                done.is_changed = True
    return done


def _not_writable(file: Path) -> str:
    # What to say of a model that has to be changed and cannot be; else empty.
    if os.access(file, os.W_OK):
        return ""
    return (
        f"{file} cannot be written, and lacks what the source has: make it writable, and run again"
    )


def _follow(
    lake: Lake, model: str, meta: DeclaredTable, file: Path, source: SourceTable,
    marks: Marks, done: Evolution,
) -> None:  # fmt: skip
    batches = {one.name: one.first_batch for one in source.columns}
    changes = changes_of(source, meta, can_widen=not is_from_schema(file))
    new = {one.column for one in changes if one.kind == "new"}
    renamed = renamed_columns(_statements(lake, meta), source.family) if new else {}
    renamed = {first: later for first, later in renamed.items() if new.intersection(later)}
    # the pending events bring only what they have
    merged = _last_merged(lake, meta["state"])
    if merged is not None and (
        renamed
        or any(one.kind == "wider" for one in changes)
        or any(batches[name] <= merged for name in new)
    ):
        # before its model is written: whatever happens then, the table is built anew
        marks.write(rebuild=sorted({*marks.rebuild(), model}))
    try:
        followed = follow_source(source, file, can_change=True, renamed=renamed)
    except (UserError, OSError) as error:
        text = os_reason(error) if isinstance(error, OSError) else str(error)
        done.asked.append(in_line(f"{model}: {text}"))
        return
    lines = [f"added {name}, new at the source" for name in followed.added]
    lines += [f"{one}, as at the source" for one in followed.changed]
    done.is_changed |= bool(lines)
    if followed.inferred:
        lines.append(f"types inferred from the values seen: {', '.join(followed.inferred)}")
    done.said += [in_line(f"{model}: {one}") for one in lines]


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


def _statements(lake: Lake, meta: DeclaredTable) -> list[str]:
    # The statements that have altered a model's tables, in the order of each partition.
    rows = lake.sql(
        "select feed, database_name, schema_name, table_name, ddl"
        f" from silver.{sql_name(meta['events'])}"
        # a message may say that a table has changed, and not how
        " where event_type = 'schema' and operation in ('alter', 'rename') and ddl is not null"
        f" and feed in ({', '.join(map(sql_string, meta['feeds']))})"
        " order by kafka_topic, kafka_partition, kafka_offset, row_index"
    ).collect()
    return [
        row.ddl
        for row in rows
        if is_of_table(meta, row.feed, row.database_name, row.schema_name, row.table_name)
    ]


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
