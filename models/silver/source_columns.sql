{%- set news = formats_with_news(this if is_incremental() else none) -%}
{{ config(
    materialized='incremental',
    incremental_strategy='merge',
    unique_key=['feed', 'database_name', 'schema_name', 'table_name', 'column_name', 'column_type'],
    partition_by=none,
    tblproperties=none,
) }}

-- names and types repeat from message to message: they are taken apart once a table and set of them
with images as (
    {% for format, since in news.items() %}
    select
        feed,
        format,
        source_type,
        database_name,
        schema_name,
        table_name,
        -- a partial image may hold no key, and no column that never changed
        map_keys(if(is_partial and `before` is not null, map_concat(`before`, `after`), coalesce(`after`, `before`))) as column_names,
        column_types,
        max_by(key_columns, coalesce(committed_at, kafka_timestamp)) filter (where key_columns is not null) as key_columns,
        min(coalesce(committed_at, kafka_timestamp)) as first_seen_at,
        max(coalesce(committed_at, kafka_timestamp)) as last_seen_at,
        max(parse_batch) as last_batch,
        max(if(is_partial, null, parse_batch)) as last_complete_batch
    from {{ ref(format ~ '_events') }}
    where event_type = 'row'
        and parse_batch > {{ since }}
    group by feed, format, source_type, database_name, schema_name, table_name, column_names, column_types
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

named as (
    select
        images.*,
        position,
        column_name,
        from_json(column_types, 'map<string, string>')[column_name] as column_type,
        array_contains(key_columns, column_name) as is_key
    from images
    lateral view posexplode(column_names) columns as position, column_name
)

select
    named.feed,
    named.format,
    max(named.source_type) as source_type,
    named.database_name,
    named.schema_name,
    named.table_name,
    named.column_name,
    named.column_type,
    max_by(named.position, named.last_seen_at) as position,
    max_by(named.is_key, named.last_seen_at) filter (where named.is_key is not null) as is_key,
    {% if is_incremental() -%}
    least(min(named.first_seen_at), min(known.first_seen_at)) as first_seen_at,
    greatest(max(named.last_seen_at), max(known.last_seen_at)) as last_seen_at,
    {%- else -%}
    min(named.first_seen_at) as first_seen_at,
    max(named.last_seen_at) as last_seen_at,
    {%- endif %}
    max(named.last_batch) as last_batch,
    {% if is_incremental() -%}
    greatest(max(named.last_complete_batch), max(known.last_complete_batch)) as last_complete_batch
    {%- else -%}
    max(named.last_complete_batch) as last_complete_batch
    {%- endif %}
from named
{% if is_incremental() -%}
left join {{ this }} as known
    on named.feed = known.feed
    and named.database_name <=> known.database_name
    and named.schema_name <=> known.schema_name
    and named.table_name <=> known.table_name
    and named.column_name = known.column_name
    and named.column_type <=> known.column_type
{% endif -%}
group by
    named.feed,
    named.format,
    named.database_name,
    named.schema_name,
    named.table_name,
    named.column_name,
    named.column_type
