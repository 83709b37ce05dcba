{% macro truncation_literals(truncation) -%}
{{ return({
    'shard': sql_string(truncation.shard),
    'kafka_topic': sql_string(truncation.kafka_topic),
    'kafka_partition': truncation.kafka_partition,
    'kafka_offset': truncation.kafka_offset ~ 'L',
    'position': position_numbers(sql_string(truncation.get('source_position'))),
    'changed_at': timestamp_literal(truncation.changed_at),
    'captured_at': timestamp_literal(truncation.get('captured_at')),
    'message_number': 'cast(' ~ (truncation.message_number if truncation.get('message_number') is not none else 'null') ~ ' as bigint)',
}) }}
{%- endmacro %}
