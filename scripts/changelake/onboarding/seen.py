"""Reads from silver which tables the events show, and what their values look like."""

from dataclasses import replace
from typing import Any

from changelake.core.errors import UserError
from changelake.core.quoting import sql_string
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values
from changelake.spark.sql_session import Lake

_VALUES = r"""
select
    feed, database_name, schema_name, table_name, column_name,
    count(value) as count,
    bool_and(value rlike r'^-?(0|[1-9][0-9]*)\z') as integers,
    bool_and(value rlike r'^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]{1,2})?\z') as numbers,
    bool_and(value in ('true', 'false')) as booleans,
    bool_and(value rlike r'^[0-9]{4}-[0-9]{2}-[0-9]{2}Z?\z') as dates,
    bool_and(value rlike r'^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T:][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6}0*)?\z') as datetimes,
    bool_and(value rlike r'^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T:][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6}0*)? ?(Z|[+-][0-9]{2}:?[0-9]{2}|[A-Z][A-Za-z_]+(/[A-Z][A-Za-z_]+)?)\z') as instants,
    bool_and(value rlike r'^1[0-9]{9}[.][0-9]{3,9}\z') as epochs,
    bool_and(startswith(value, '{')) as objects,
    bool_or(value rlike '[A-Za-z]') as letters,
    bool_and(value rlike r'^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z') as base64,
    bool_and(value rlike r'^([0-9a-f]{2})*\z') and max(length(value)) >= 8 as hex,
    coalesce(max(length(regexp_extract(value, '^-?([0-9]+)', 1)) + greatest(exponent, 0)), 0) as whole_digits,
    coalesce(max(greatest(length(regexp_extract(value, '[.]([0-9]+)', 1)) - exponent, 0)), 0)
        as fraction_digits,
    array() as kinds
from (
    select
        *,
        coalesce(try_cast(regexp_extract(value, r'[eE]([+-]?[0-9]+)\z', 1) as int), 0) as exponent
    from (
        -- what a list holds
        select * except (text), explode(if({lists}, from_json(text, 'array<string>'), array(text))) as value
        from (
            select feed, database_name, schema_name, table_name, explode(coalesce(`after`, `before`)) as (column_name, text)
            from silver.change_events
            where event_type = 'row' and ({tables})
        )
    )
)
where value is not null
group by all
"""  # noqa: E501

# What a collection's documents hold: the values in them have types, which fields' texts do not.
_DOCUMENTS = r"""
select
    feed, database_name, schema_name, table_name, column_name,
    count(*) as count,
    false as integers, false as numbers, false as booleans, false as dates, false as datetimes,
    false as instants, false as epochs, false as objects, false as letters, false as base64, false as hex,
    coalesce(max(length(regexp_extract(number, '^-?([0-9]+)', 1)) + greatest(exponent, 0)), 0) as whole_digits,
    coalesce(max(greatest(length(regexp_extract(number, '[.]([0-9]+)', 1)) - exponent, 0)), 0)
        as fraction_digits,
    array_sort(collect_set(kind)) as kinds
from (
    select
        *,
        case
            when column_name = '_document' then 'document'
            when type = 'STRING' and column_name = '_id' then 'string id'
            when type like 'OBJECT<`$%' or type like 'OBJECT<$%' then coalesce(
                map(
                    'oid', 'objectId', 'numberLong', 'long', 'numberInt', 'int', 'numberDouble', 'double',
                    'numberDecimal', 'decimal', 'date', 'date', 'binary', 'binData', 'uuid', 'uuid', 'symbol', 'symbol',
                    'timestamp', 'timestamp', 'regularExpression', 'regex'
                )[regexp_extract(type, '[$]([A-Za-z]+)', 1)],
                'object'
            )
            else case split_part(split_part(type, '(', 1), '<', 1)
                when 'STRING' then 'string'
                when 'BOOLEAN' then 'bool'
                when 'BIGINT' then 'int'
                when 'ARRAY' then 'array'
                when 'OBJECT' then 'object'
                else 'double'
            end
        end as kind,
        regexp_extract(text, '"[$]numberDecimal":"([^"]*)"', 1) as number,
        coalesce(try_cast(regexp_extract(text, '[eE]([+-]?[0-9]+)"', 1) as int), 0) as exponent
    from (
        select *, schema_of_variant(value) as type, `after`[column_name] as text
        from (
            select
                feed, database_name, schema_name, table_name, `after`,
                explode(map_concat(
                    if(
                        is_partial,
                        from_json(`after`['_document'], 'map<string, map<string, variant>>')['$set'],
                        from_json(`after`['_document'], 'map<string, variant>')
                    ),
                    map('_document', parse_json('""'))
                )) as (column_name, value)
            from silver.change_events
            where event_type = 'row' and operation != 'delete' and ({tables})
        )
    )
    where type != 'VOID'
)
group by all
"""  # noqa: E501

_COLUMNS = """
select
    * except (is_key, last_complete_batch),
    coalesce(
        last_complete_batch < max(last_complete_batch) over (
            partition by feed, database_name, schema_name, table_name
        ), false
    ) as is_dropped,
    -- a column that the table no longer has is none of its key
    if(
        is_key and last_complete_batch < max(last_complete_batch) over (
            partition by feed, database_name, schema_name, table_name
        ), false, is_key
    ) as is_key
from (
    select
        feed, format, max(source_type) as source_type, database_name, schema_name, table_name, column_name,
        max_by(column_type, seen) filter (where column_type is not null) as column_type,
        max_by(position, seen) as position,
        max_by(is_key, key_seen_at) as is_key,
        count(distinct column_type) as types,
        min(first_batch) as first_batch,
        max(last_complete_batch) as last_complete_batch
    -- last_moment is null where an earlier version has seen it last
    from (select *, struct(last_batch, last_moment, last_seen_at) as seen from silver.source_columns)
    group by all
)
order by feed, database_name, schema_name, table_name, column_name = '_document', position, column_name
"""  # noqa: E501


def seen_tables(lake: Lake) -> list[SourceTable]:
    """Read from silver which tables the events show, with their columns in the source's order."""
    tables: dict[tuple[Any, ...], SourceTable] = {}
    for row in lake.sql(_COLUMNS).collect():
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


def check_rejects(lake: Lake, feed: str | None) -> None:
    """Say so where nothing has been seen since every message is a reject.

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
            f"no table has been seen in the events{of}, and {rejects} message(s) were rejected:"
            " silver.rejected_messages has the reasons"
        )


def look_at_values(lake: Lake, tables: list[SourceTable]) -> None:
    """Fill in what values look like, in one pass, where a type does not say all."""
    by_place = {
        (table.feed, table.database, table.schema, table.table): table
        for table in tables
        if any(needs_values(table, column) for column in table.columns)
    }
    if not by_place:
        return
    for query, places in (
        (_VALUES, [place for place, table in by_place.items() if not has_documents(table)]),
        (_DOCUMENTS, [place for place, table in by_place.items() if has_documents(table)]),
    ):
        if not places:
            continue
        conditions = {place: _is_of(place) for place in places}
        lists = [
            f"{conditions[place]} and column_name in ({names})"
            for place in places
            if (names := ", ".join(map(sql_string, _lists(by_place[place]))))
        ]
        asked = query.replace("{tables}", " or ".join(conditions.values()))
        for row in lake.sql(asked.replace("{lists}", " or ".join(lists) or "false")).collect():
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
    # The columns that are declared as arrays, whatever their values look like.
    return [
        column.name
        for column in table.columns
        if table.declaration(replace(column, values=Values())).text.startswith("array<")
    ]


def has_documents(table: SourceTable) -> bool:
    """Say whether a table is a collection, whose updates are patches of a document."""
    return table.source_type == "mongodb" and any(
        column.name == "_document" for column in table.columns
    )


def needs_values(table: SourceTable, column: SourceColumn) -> bool:
    """Say whether a column's type at the source does not tell how to declare it."""
    if column.known and not column.type_text:
        # whether the schema file's type holds them
        return True
    without = table.declaration(replace(column, values=Values()))
    return (
        without.inferred
        # Debezium may write its decimals as numbers
        or without.encoding.startswith("base64_unscaled")
        # one whose values are whole numbers is a YEAR
        or (without.spark_type == "date" and without.encoding in ("", "epoch_millis_nanos"))
        # and one of Oracle's whose values have a zone is an instant
        or (without.spark_type == "timestamp_ntz" and table.family == "oracle")
    )
