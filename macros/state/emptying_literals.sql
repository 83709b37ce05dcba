{#
    Where a table was emptied, as literals of SQL by name, for is_before_point().

    Arguments:
        emptied (dictionary): see state_news() and history_news().
#}
{% macro emptying_literals(emptied) -%}
{{ return({
    'shard': sql_string(emptied.shard),
    'kafka_topic': sql_string(emptied.kafka_topic),
    'kafka_partition': emptied.kafka_partition,
    'kafka_offset': emptied.kafka_offset ~ 'L',
    'position': position_numbers(sql_string(emptied.get('source_position'))),
    'changed_at': _timestamp_literal(emptied.changed_at),
    'captured_at': _timestamp_literal(emptied.get('captured_at')),
    'message_number': 'cast(' ~ (emptied.message_number if emptied.get('message_number') is not none else 'null') ~ ' as bigint)',
}) }}
{%- endmacro %}

{% macro _timestamp_literal(text) -%}
cast({{ sql_string(text) }} as timestamp)
{%- endmacro %}
