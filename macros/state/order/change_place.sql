{% macro change_place(pending) -%}
{{ offset_order() }} as in_partition,
            {%- if pending.is_spread %}
            {{ position_order('', is_upsert='is_upsert') }} as across_partitions,
            {%- endif %}
            is_upsert,
            {{ changed_at() }} as changed_at,
            captured_at,
            message_number,
            kafka_topic,
            kafka_partition,
            kafka_offset,
            source_position
{%- endmacro %}
