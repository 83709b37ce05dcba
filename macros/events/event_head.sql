{#
    The columns with which every parser's select begins: of which message the event is, and what
    happened. A message that is rejected or carries nothing has neither type nor operation.

    Arguments:
        format (string): the format's name.
        row_index (string): an expression of type int, the row's place in its message.
        operation (string): an expression of type string, of the contract's operations.
#}
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
