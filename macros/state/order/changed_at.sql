{% macro changed_at(prefix='') -%}
{{ prefix ~ 'changed_at' if prefix else 'coalesce(committed_at, captured_at, kafka_timestamp, landed_at)' }}
{%- endmacro %}
