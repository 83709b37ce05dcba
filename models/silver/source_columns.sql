{%- set pending = pending_formats(this if is_incremental() else none) -%}
{{ config(
    materialized='incremental',
    incremental_strategy='insert_overwrite',
    on_schema_change='append_new_columns',
    partition_by=none,
    tblproperties=none,
) }}
{%- set columns = [
    'feed', 'format', 'source_type', 'database_name', 'schema_name', 'table_name', 'column_name', 'column_type',
    'position', 'is_key', 'key_seen_at', 'first_seen_at', 'last_seen_at', 'first_batch', 'last_batch',
    'last_complete_batch', 'last_complete_moment', 'last_moment',
] -%}

-- names and types repeat from message to message: they are split once per table and set of them
with images as (
    {% for format, since in pending.items() %}
    {%- set traits = format_traits(format ~ '_events') %}
    select
        feed,
        format,
        source_type,
        database_name,
        schema_name,
        table_name,
        -- a partial image may lack the key, and any column that has not changed
        {%- if traits.defines_tables %}
        map_keys(coalesce(`after`, `before`, from_json(column_types, 'map<string, string>'))) as column_names,
        {%- else %}
        map_keys(if(is_partial and `before` is not null, map_concat(`before`, `after`), coalesce(`after`, `before`))) as column_names,
        {%- endif %}
        column_types,
        key_columns,
        min({{ changed_at() }}) as first_seen_at,
        max({{ changed_at() }}) as last_seen_at,
        min(parse_batch) as first_batch,
        max(parse_batch) as last_batch,
        {#- an image without any null may have left NULLs out, and a delete may have only its key #}
        {%- set is_complete = 'exists(map_values(coalesce(`after`, `before`)), value -> value is null)'
            if traits.leaves_out_nulls else "coalesce(not is_partial and operation != 'delete', true)" %}
        max(if({{ is_complete }}, parse_batch, null)) as last_complete_batch,
        max(if({{ is_complete }}, struct({{ changed_at() }} as changed_at, parse_batch as batch), null)) as last_complete_moment,
        -- what was parsed later is newer: the source's time may be wrong, or a statement's start
        max(struct(parse_batch as batch, {{ changed_at() }} as changed_at, captured_at, kafka_offset)) as last_moment
    from {{ ref(format ~ '_events') }}
    where {{ "(event_type = 'row' or outcome = 'events' and table_name is not null and column_types is not null)" if traits.defines_tables else "event_type = 'row'" }}
        and parse_batch > {{ since }}
    group by feed, format, source_type, database_name, schema_name, table_name, column_names, column_types, key_columns
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

named as (
    select
        images.*,
        position,
        column_name,
        from_json(column_types, 'map<string, string>')[column_name] as column_type,
        -- a row without a column of its key tells nothing about the key
        case when size(array_except(key_columns, column_names)) = 0 then array_contains(key_columns, column_name) end as is_key,
        if(is_key is null, null, last_seen_at) as key_seen_at
    from images
    lateral view posexplode(column_names) columns as position, column_name
),

seen as (
    select
        {{ columns | join(',\n        ') }}
    from named
    {% if is_incremental() -%}
    {#- a lake from an earlier version of the project lacks newer columns -#}
    {%- set known = adapter.get_columns_in_relation(this) | map(attribute='name') | list -%}
    union all
    -- known columns count like new images, so that a run gives the same as a full refresh. The table
    -- is small, and rewriting it is faster than a merge
    select
        {%- for column in columns %}
        {{ column if column in known else '0' if column == 'first_batch' else 'null' }} as {{ column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ this }}
    {%- endif %}
)

select
    feed,
    format,
    max(source_type) as source_type,
    database_name,
    schema_name,
    table_name,
    column_name,
    column_type,
    -- a tie between images of one moment is always decided the same way
    max_by(position, struct({{ sighting_order() }}, position)) as position,
    max_by(is_key, struct(key_seen_at, is_key)) as is_key,
    max(key_seen_at) as key_seen_at,
    min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at,
    min(first_batch) as first_batch,
    max(last_batch) as last_batch,
    max(last_complete_batch) as last_complete_batch,
    max(last_complete_moment) as last_complete_moment,
    max(last_moment) as last_moment
from seen
group by
    feed,
    format,
    database_name,
    schema_name,
    table_name,
    column_name,
    column_type
