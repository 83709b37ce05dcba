"""Reads from silver which tables the events show, and what their values look like."""

from typing import Any

from changelake.core.errors import UserError
from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_string
from changelake.core.words import counted
from changelake.onboarding.table_events import table_events
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values
from changelake.spark.sql_session import SqlSession


def seen_tables(lake: SqlSession) -> list[SourceTable]:
    """Read from silver which tables the events show, with their columns in the source's order."""
    tables: dict[tuple[Any, ...], SourceTable] = {}
    for row in lake.sql(macro_sql("onboarding", "seen_columns", "silver.source_columns")).collect():
        place = (row.feed, row.database_name, row.schema_name, row.table_name)
        table = tables.setdefault(
            place,
            SourceTable(
                row.feed, row.format, row.source_type or "", *place[1:], columns=[],
                key=None if row.is_key is None else [],
            ),
        )  # fmt: skip
        table.columns.append(
            SourceColumn(
                row.column_name, row.column_type, bool(row.is_key),
                first_batch=row.first_batch or 0, is_dropped=row.is_dropped,
                has_changed=row.types > 1,
            )
        )  # fmt: skip
        if row.is_key:
            table.key = [*(table.key or []), row.column_name]
    return list(tables.values())


def check_rejects(lake: SqlSession, feed: str | None) -> None:
    """Raise an error if no table has been seen because messages were rejected.

    Args:
        lake: takes statements.
        feed: the feed that has shown no table; None: all.

    Raises:
        UserError: there are rejected messages.
    """
    of_feed = f" where feed = {sql_string(feed)}" if feed else ""
    (found,) = lake.sql(f"select count(*) from silver.rejected_messages{of_feed}").collect()
    rejects = found[0]
    if rejects:
        of = f" of feed {feed!r}" if feed else ""
        raise UserError(
            f"no table has been seen in the events{of}, rejected: {counted(rejects, 'message')}:"
            " silver.rejected_messages has the reasons"
        )


def look_at_alters(lake: SqlSession, tables: list[SourceTable]) -> None:
    """Fill in the statements that have altered tables, and names of distinct columns."""
    feeds: dict[str, set[str]] = {}
    for table in tables:
        feeds.setdefault(f"{table.format}_events", set()).add(table.feed)
    conditions = {
        events: f"event_type = 'schema' and feed in ({', '.join(map(sql_string, sorted(names)))})"
        for events, names in feeds.items()
    }
    found = {one.place: one.statements for one in table_events(lake, conditions)}
    for table in tables:
        table.alters = [found[table.place]] if found.get(table.place) else []
    chains = [
        (table, names)
        for table in tables
        for first, later in table.renamed.items()
        if len(names := {first, *later} & {one.name for one in table.columns}) > 1
    ]
    for (table, names), are_at_once in zip(chains, _are_at_once(lake, chains), strict=True):
        if are_at_once:
            table.apart.append(names)


def _are_at_once(lake: SqlSession, chains: list[tuple[SourceTable, set[str]]]) -> list[bool]:
    # Whether a row of each table has had more than one of the names at once.
    selects: list[str] = []
    for place, (table, names) in enumerate(chains):
        events, texts = f"silver.{table.format}_events", ", ".join(map(sql_string, sorted(names)))
        found = macro_sql("onboarding", "names_at_once", events, _is_of(table.place), texts)
        selects.append(f"select {place} as place, * from ({found})")
    rows = lake.sql(" union all ".join(selects)).collect() if selects else []
    return [row.are_at_once for row in sorted(rows, key=lambda row: row.place)]


def look_at_values(lake: SqlSession, tables: list[SourceTable]) -> None:
    """Fill in what values look like, in one pass, if a type does not tell enough."""
    by_place = {
        table.place: table
        for table in tables
        if any(needs_values(table, column) for column in table.columns)
    }
    if not by_place:
        return
    for macro, places in (
        ("seen_values", [place for place, table in by_place.items() if not has_documents(table)]),
        ("seen_documents", [place for place, table in by_place.items() if has_documents(table)]),
    ):
        if not places:
            continue
        conditions = {place: _is_of(place) for place in places}
        arguments = ["silver.change_events", " or ".join(conditions.values())]
        if macro == "seen_values":
            lists = [
                f"{conditions[place]} and column_name in ({names})"
                for place in places
                if (names := ", ".join(map(sql_string, _lists(by_place[place]))))
            ]
            arguments.append(" or ".join(lists) or "false")
        for row in lake.sql(macro_sql("onboarding", macro, *arguments)).collect():
            place = (row.feed, row.database_name, row.schema_name, row.table_name)
            for column in by_place[place].columns:
                if column.name == row.column_name:
                    found = {key: row[key] for key in Values.__dataclass_fields__}
                    found["kinds"] = tuple(row.kinds)
                    column.values = Values(**found)


def _is_of(place: tuple[str | None, ...]) -> str:
    names = ("feed", "database_name", "schema_name", "table_name")
    parts = [f"{name} <=> {sql_string(value)}" for name, value in zip(names, place, strict=True)]
    return f"({' and '.join(parts)})"


def _lists(table: SourceTable) -> list[str]:
    # The columns that their types declare as arrays.
    return [
        column.name
        for column in table.columns
        if table.told_declaration(column).text.startswith("array<")
    ]


def has_documents(table: SourceTable) -> bool:
    """Say whether a table is a collection, whose updates are patches of a document."""
    return table.source_type == "mongodb" and any(
        column.name == "_document" for column in table.columns
    )


def needs_values(table: SourceTable, column: SourceColumn) -> bool:
    """Say whether a column's type at the source does not tell how to declare it."""
    if column.known and not column.type_text:
        # to check that the schema file's type holds them
        return True
    told = table.told_declaration(column)
    return (
        told.inferred
        # Debezium may write its decimals as numbers
        or told.encoding.startswith("base64_unscaled")
        # a date with whole numbers as values is a YEAR
        or (told.spark_type == "date" and told.encoding in ("", "epoch_millis_nanos"))
        # a time of Oracle may have a zone or nanoseconds in its values
        or (told.spark_type.startswith("timestamp") and table.family == "oracle")
    )
