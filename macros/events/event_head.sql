{% macro event_head(format, row_index='0', operation='operation') -%}
feed,
    '{{ format }}' as format,
    kafka_topic,
    kafka_partition,
    kafka_offset,
    kafka_timestamp,
    {{ row_index }} as row_index,
    case when reject is null and no_event is null then event_type end as event_type,
    case when reject is null and no_event is null then {{ operation }} end as operation
{%- endmacro %}
