{% macro bronze_columns() -%}
feed string, kafka_topic string, kafka_partition int, kafka_offset bigint,
kafka_timestamp timestamp, headers array<struct<key: string, value: binary>>,
key binary, value binary,
landed_at timestamp, landed_date date
{%- endmacro %}
