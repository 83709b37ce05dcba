{% macro fill_bronze(sample) %}
{%- set columns = adapter.get_columns_in_relation(sample) | map(attribute='name') | list if execute else [] %}
create or replace table {{ var('changelake_bronze_schema', 'bronze') }}.{{ sample.identifier | replace('_messages', '') }}
using delta partitioned by (landed_date) as
select
    feed,
    kafka_topic,
    kafka_partition,
    kafka_offset,
    kafka_timestamp,
    {% if 'headers' in columns -%}
    coalesce(
        transform(
            map_entries(from_json(headers, 'map<string, string>')),
            header -> named_struct('key', header.key, 'value', cast(header.value as binary))
        ),
        array()
    ) as headers,
    {%- else -%}
    cast(array() as array<struct<key: string, value: binary>>) as headers,
    {%- endif %}
    {{ 'unbase64(key_base64)' if 'key_base64' in columns else 'cast(key as binary)' }} as key,
    {{ 'unbase64(value_base64)' if 'value_base64' in columns else 'cast(value as binary)' }} as value,
    kafka_timestamp as landed_at,
    cast(kafka_timestamp as date) as landed_date
from {{ sample }}
{% endmacro %}
