{% macro state_metadata() -%}
{{ return([
    '_committed_at', '_changed_at', '_captured_at', '_message_number', '_feed', '_kafka_topic', '_kafka_partition', '_kafka_offset', '_source_position', '_row_count',
    '_is_deleted', '_batch', '_fragment', '_is_move',
]) }}
{%- endmacro %}
