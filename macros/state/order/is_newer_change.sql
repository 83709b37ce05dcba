{% macro is_newer_change(new, old, new_is_upsert, old_is_upsert) -%}
case
    when {{ new }}kafka_topic = {{ old }}kafka_topic and {{ new }}kafka_partition = {{ old }}kafka_partition
        then {{ new }}kafka_offset >= {{ old }}kafka_offset
    else {{ position_order(new, is_upsert=new_is_upsert) }} > {{ position_order(old, is_upsert=old_is_upsert) }}
end
{%- endmacro %}
