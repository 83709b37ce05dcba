{#
    Whether a change counts over the last one of its key: within a partition by offset, and the same message that is
    parsed again counts; across partitions by position_order().

    Arguments:
        new, old (string): what stands before the columns' names of each, for example `new._`.
        new_is_image, old_is_image (string): expressions of type boolean: it is no delete.
#}
{% macro is_newer_change(new, old, new_is_image, old_is_image) -%}
case
    when {{ new }}kafka_topic = {{ old }}kafka_topic and {{ new }}kafka_partition = {{ old }}kafka_partition
        then {{ new }}kafka_offset >= {{ old }}kafka_offset
    else {{ position_order(new, is_image=new_is_image) }} > {{ position_order(old, is_image=old_is_image) }}
end
{%- endmacro %}
