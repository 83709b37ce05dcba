{# When an event changed its row: when the source says so, else when it was captured, else Kafka's time. #}
{% macro changed_at() -%}
coalesce(committed_at, captured_at, kafka_timestamp)
{%- endmacro %}
