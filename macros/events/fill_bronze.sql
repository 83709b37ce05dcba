{#
    Lays a seed of sample messages into bronze, as the landing job would have: the post-hook of the
    seeds in seeds/samples.

    Arguments:
        sample (relation): a seed named <format>_messages; an empty key or value is null.
#}
{% macro fill_bronze(sample) %}
create or replace table bronze.{{ sample.identifier | replace('_messages', '') }}
using delta partitioned by (landed_date) as
select
    feed,
    kafka_topic,
    kafka_partition,
    kafka_offset,
    kafka_timestamp,
    cast(array() as array<struct<key: string, value: binary>>) as headers,
    cast(key as binary) as key,
    cast(value as binary) as value,
    kafka_timestamp as landed_at,
    cast(kafka_timestamp as date) as landed_date
from {{ sample }}
{% endmacro %}
