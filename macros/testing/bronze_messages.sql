{% macro bronze_messages(has_key=false, has_headers=false, topic='topic') -%}
select
    'feed' as feed,
    '{{ topic }}' as kafka_topic,
    0 as kafka_partition,
    cast(col1 as bigint) as kafka_offset,
    timestamp'2026-03-01 08:00:00' as kafka_timestamp,
    {% if has_headers -%}
    transform(map_entries(col4), header -> struct(header.key as key, cast(header.value as binary) as value)) as headers,
    {%- else -%}
    -- as Spark's Kafka source gives messages without headers
    cast(null as array<struct<key: string, value: binary>>) as headers,
    {%- endif %}
    cast({{ 'col3' if has_key else 'null' }} as binary) as key,
    cast(col2 as binary) as value,
    timestamp'2026-03-01 08:00:01' as landed_at,
    date'2026-03-01' as landed_date
from
{%- endmacro %}
