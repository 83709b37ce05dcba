{% macro history_metadata() -%}
{{ return([
    '_valid_to', '_operation', '_valid_from', '_committed_at', '_feed', '_kafka_topic', '_kafka_partition',
    '_kafka_offset', '_row_count', '_source_position', '_row_index', '_row_change', '_leaves_key', '_is_move', '_present',
    '_changed_at', '_captured_at', '_message_number', '_content', '_last_position', '_is_spread', '_is_boundary', '_is_last', '_sequence', '_epoch', '_batch', '_patch', '_fragment',
]) }}
{%- endmacro %}
