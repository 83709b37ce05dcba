{% macro is_newer_change(new, old, new_is_image, old_is_image) -%}
case
    when {{ new }}kafka_topic = {{ old }}kafka_topic and {{ new }}kafka_partition = {{ old }}kafka_partition
        then {{ new }}kafka_offset >= {{ old }}kafka_offset
    else {{ position_order(new, is_image=new_is_image) }} > {{ position_order(old, is_image=old_is_image) }}
end
{%- endmacro %}
