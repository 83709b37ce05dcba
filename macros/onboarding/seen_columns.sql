{% macro seen_columns(source_columns) -%}
with newest as (
    select
        feed,
        format,
        max(source_type) as source_type,
        database_name,
        schema_name,
        table_name,
        column_name,
        max_by(column_type, {{ sighting_order() }}) filter (where column_type is not null) as column_type,
        max_by(position, {{ sighting_order() }}) as position,
        max_by(is_key, key_seen_at) as is_key,
        max(key_seen_at) as key_seen_at,
        count(distinct column_type) as types,
        min(first_batch) as first_batch,
        max(last_complete_batch) as last_complete_batch,
        max(last_complete_moment) as last_complete_moment
    from {{ source_columns }}
    group by feed, format, database_name, schema_name, table_name, column_name
),

dated as (
    select
        *,
        {{ is_no_longer_seen(
            'last_complete_batch', 'last_complete_moment',
            'max(last_complete_batch) over of_table', 'max(last_complete_moment) over of_table'
        ) }} as is_gone,
        -- part of a former key, or a former name of a key column
        key_seen_at < max(key_seen_at) over of_table as is_of_former_key
    from newest
    window of_table as (partition by feed, database_name, schema_name, table_name)
)

select
    * except (is_key, key_seen_at, last_complete_batch, last_complete_moment, is_gone, is_of_former_key),
    coalesce(is_gone, false) as is_dropped,
    -- a column that the table no longer has is not in its key
    if(is_key and (is_gone or is_of_former_key), false, is_key) as is_key
from dated
order by feed, database_name, schema_name, table_name, column_name = '_document', position, column_name
{%- endmacro %}
