{{ config(materialized='view') }}

with declared as (
    select * from {{ ref('declared_source_columns') }}
),

-- the newest and earlier types of each column
seen as (
    select
        * except (column_types),
        filter(
            column_types,
            earlier -> {{ comparable_type('earlier') }} != {{ comparable_type('column_type') }}
        ) as earlier_types
    from (
        select
            feed,
            concat_ws('.', database_name, schema_name, table_name) as source_table,
            column_name,
            -- a message without types tells nothing about them
            max_by(column_type, {{ sighting_order() }}) filter (where column_type is not null) as column_type,
            collect_set(column_type) as column_types,
            max(last_seen_at) as last_seen_at,
            max(last_complete_batch) as last_complete_batch,
            max(last_complete_moment) as last_complete_moment
        from {{ ref('source_columns') }}
        group by feed, database_name, schema_name, table_name, column_name
    )
),

-- the tables that have a model, with their columns seen in events
tables as (
    select
        models.model,
        seen.*,
        max(last_complete_batch) over of_table as last_complete_batch_of_table,
        max(last_complete_moment) over of_table as last_complete_moment_of_table
    from (select distinct model, feed, tables from declared) as models
    inner join seen
        on models.feed = seen.feed and seen.source_table rlike models.tables
    window of_table as (partition by models.model, seen.feed, source_table)
),

compared as (
    select
        coalesce(declared.model, tables.model) as model,
        coalesce(declared.feed, tables.feed) as feed,
        tables.source_table,
        coalesce(declared.column_name, tables.column_name) as column_name,
        declared.declaration,
        tables.column_type,
        tables.earlier_types,
        tables.last_seen_at,
        case
            when declared.model is null then 'not_declared'
            when declared.declaration is null then null
            when tables.model is null then 'never_seen'
            -- under any of its names: a renamed column is seen under the new one
            when {{ is_no_longer_seen(
                'max(last_complete_batch) over of_column', 'max(last_complete_moment) over of_column',
                'last_complete_batch_of_table', 'last_complete_moment_of_table'
            ) }} then 'no_longer_seen'
            when size(earlier_types) > 0 then 'type_changed'
        end as kind
    from tables
    full outer join declared
        on tables.model = declared.model
        and tables.feed = declared.feed
        and array_contains(declared.sources, tables.column_name)
    window of_column as (
        partition by tables.model, tables.feed, tables.source_table, coalesce(declared.column_name, tables.column_name)
    )
)

select
    model,
    feed,
    source_table,
    column_name,
    kind,
    declaration,
    column_type,
    earlier_types,
    last_seen_at
from compared
where kind is not null
