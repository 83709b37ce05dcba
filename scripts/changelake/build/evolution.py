"""Follows a source that changes its tables: their models get its new columns and wider types."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from changelake.build.dbt import ASK, OFF, is_of_table
from changelake.core.errors import UserError, os_reason
from changelake.core.terminal import in_line
from changelake.onboarding.ddl import renamed_columns
from changelake.onboarding.generated_files import is_edited
from changelake.onboarding.model_files import follow_source, source_names
from changelake.onboarding.seen import look_at_values, seen_tables
from changelake.onboarding.tables import SourceTable, join_shards

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# In what, which column, and how many types it has had, or the batch that has brought it.
Difference = tuple[str, str, int]
Differences = dict[str, list[list[Any]]]
# The columns of the tables that this run has events of.
_SEEN = """
select * from (
    select
        feed, database_name, schema_name, table_name, column_name,
        count(distinct column_type) as types,
        min(first_batch) as first_batch,
        max(last_complete_batch) as seen_whole,
        max(max(last_batch)) over of_table as table_seen,
        max(max(last_complete_batch)) over of_table as table_seen_whole
    from silver.source_columns
    group by feed, database_name, schema_name, table_name, column_name
    window of_table as (partition by feed, database_name, schema_name, table_name)
)
where table_seen >= {since}
"""


@dataclass
class Evolution:
    """What became of models whose sources have changed.

    Attributes:
        said: what was done, a line each.
        asked: what a person has to decide, a line each.
        rebuilt: the current models whose tables have to be built anew for it.
        is_changed: a model's file was written.
        seen: by model the differences that it has, which evolve() takes the next time.
    """

    said: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    rebuilt: set[str] = field(default_factory=set[str])
    is_changed: bool = False
    seen: Differences = field(default_factory=dict[str, list[list[Any]]])


def evolve(
    spark: "SparkSession",
    tables: dict[str, dict[str, Any]],
    files: dict[str, Path],
    seen: Differences,
    since: int,
) -> Evolution:
    """Add to models what their sources have come to have, and say what a person has to decide.

    A difference is told once. What is narrower at the source, is there no more, or is another key,
    no model follows by itself.

    Args:
        spark: the session, silver built.
        tables: the meta of the current models by name.
        files: the models' files by name.
        seen: by model, the differences that were told before.
        since: the first batch of this run: only tables with events of it can have changed.
    """
    done = Evolution(seen=dict(seen))
    changed: dict[str, list[Difference]] = {}
    for model, differences in _differences(spark, tables, since).items():
        told = {tuple(one) for one in seen.get(model, ())}
        new = [one for one in differences if one not in told]
        done.seen[model] = sorted(map(list, differences))
        if is_edited(files[model]):
            # a column that came before was left out by a person
            new = [one for one in new if one[0] != "new" or one[2] >= since]
        if tables[model]["evolve"] == ASK or is_edited(files[model]):
            done.asked += [in_line(f"{model}: {_line_of(one)}") for one in new]
        elif any(kind != "dropped" for kind, *_ in new):
            changed[model] = new
    if not changed:
        return done
    found = seen_tables(spark)
    sources = {model: _sources_of(tables[model], found) for model in changed}
    look_at_values(spark, [one for several in sources.values() for one in several])
    statements = _statements(spark, {model: tables[model] for model in changed}, since)
    for model, new in changed.items():
        types = {column for kind, column, _ in new if kind == "type"}
        came_before = any(kind == "new" and batch < since for kind, _, batch in new)
        for source in _joined(model, tables[model], sources[model]):
            try:
                renamed = renamed_columns(statements.get(model, ()), source.family)
                followed = follow_source(source, files[model], True, renamed)
            except UserError as error:
                done.asked.append(in_line(f"{model}: {error}"))
                continue
            except OSError as error:
                done.asked.append(in_line(f"{files[model]} cannot be written: {os_reason(error)}"))
                continue
            lines = [f"added {name}, new at the source" for name in followed.added]
            lines += [f"{one}, as at the source" for one in followed.changed]
            done.said += [in_line(f"{model}: {one}") for one in lines]
            done.asked += [
                in_line(f"{model}: {what}")
                for column, what in followed.unfit.items()
                if column in types
            ]
            done.is_changed |= bool(lines)
            # what is pending fills in only what it has
            if followed.changed or (followed.added and came_before):
                done.rebuilt.add(model)
    return done


def _differences(
    spark: "SparkSession", tables: dict[str, dict[str, Any]], since: int
) -> dict[str, list[Difference]]:
    found: dict[str, list[Difference]] = {}
    known = {name: _declared_sources(meta) for name, meta in tables.items()}
    for row in spark.sql(_SEEN.format(since=since)).collect():
        place = (row.feed, row.database_name, row.schema_name, row.table_name)
        for model, meta in tables.items():
            if meta["evolve"] == OFF or not is_of_table(meta, *place):
                continue
            column, of_model = row.column_name, found.setdefault(model, [])
            if column not in known[model]:
                of_model.append(("new", column, row.first_batch))
            elif row.types > 1:
                of_model.append(("type", column, row.types))
            elif row.seen_whole is not None and row.seen_whole < row.table_seen_whole:
                of_model.append(("dropped", column, 0))
    return {model: differences for model, differences in found.items() if differences}


def _statements(
    spark: "SparkSession", tables: dict[str, dict[str, Any]], since: int
) -> dict[str, list[str]]:
    # By model the statements of this run that have altered its tables, in their partitions' order.
    found: dict[str, list[str]] = {}
    for events in sorted({meta["events"] for meta in tables.values()}):
        rows = spark.sql(
            f"select feed, database_name, schema_name, table_name, ddl from silver.{events}"
            f" where event_type = 'schema' and operation in ('alter', 'rename')"
            f" and parse_batch >= {since}"
            " order by kafka_topic, kafka_partition, kafka_offset, row_index"
        ).collect()
        for row in rows:
            place = (row.feed, row.database_name, row.schema_name, row.table_name)
            for model, meta in tables.items():
                if is_of_table(meta, *place):
                    found.setdefault(model, []).append(row.ddl)
    return found


def _declared_sources(meta: dict[str, Any]) -> set[str]:
    # What the source calls the columns that a model declares, or leaves out on purpose.
    names = set(meta.get("left_out", ()))
    for name, declared in meta["columns"].items():
        names |= set(source_names(name, declared))
    return names


def _sources_of(meta: dict[str, Any], found: list[SourceTable]) -> list[SourceTable]:
    return [
        one for one in found if is_of_table(meta, one.feed, one.database, one.schema, one.table)
    ]


def _joined(model: str, meta: dict[str, Any], sources: list[SourceTable]) -> list[SourceTable]:
    if "shards" not in meta:
        return sources
    return [join_shards(sources, model, meta["shards"], [model])]


def _line_of(difference: Difference) -> str:
    kind, column, _ = difference
    return {
        "new": f"the source has a new column {column}: scripts/onboard.py --update adds it",
        "type": f"{column} has another type at the source: scripts/onboard.py --update says which",
        "dropped": f"the source no longer has {column}: see docs/guides/tables.md",
    }[kind]
