{% macro change_place(pending) -%}
{{ offset_order() }} as in_partition,
            {%- if pending.is_spread %}
            {{ position_order('', is_image='is_image') }} as across_partitions,
            {%- endif %}
            is_image,
            {{ changed_at() }} as changed_at,
            captured_at,
            message_number,
            kafka_topic,
            kafka_partition,
            kafka_offset,
            source_position
{%- endmacro %}
