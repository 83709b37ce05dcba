{% macro shown_metadata() -%}
{{ return(['_committed_at', '_feed', '_kafka_topic', '_kafka_partition', '_kafka_offset']) }}
{%- endmacro %}
