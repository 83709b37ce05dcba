{#
    Where a change of one key stands, as the aggregates carry it: what is_older_change() and
    is_later_change() compare.

    Arguments:
        pending (dictionary): see pending_changes().

    Returns: fields of a struct, without the struct.
#}
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
