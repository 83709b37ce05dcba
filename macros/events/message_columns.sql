{% macro message_columns() -%}
feed,
    kafka_topic,
    kafka_partition,
    kafka_offset,
    kafka_timestamp,
    landed_at,
    landed_date
{%- endmacro %}
