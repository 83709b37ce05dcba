{#
    A table may have been truncated thousands of times, so this is one expression over a list, not a
    sum that is nested as deep.
#}
{% macro times_truncated(prefix, truncations, shard) -%}
size(filter(
            array(
                {%- for truncation in truncations %}
                struct(
                    {%- for name, literal in truncation_literals(truncation).items() -%}
                    {{ literal }} as {{ name }}{{ ', ' if not loop.last }}
                    {%- endfor -%}
                ){{ ',' if not loop.last }}
                {%- endfor %}
            ),
            truncation -> truncation.shard = {{ shard }} and not {{ is_before_point(prefix, {
                'shard': 'truncation.shard',
                'kafka_topic': 'truncation.kafka_topic',
                'kafka_partition': 'truncation.kafka_partition',
                'kafka_offset': 'truncation.kafka_offset',
                'position': 'truncation.position',
                'changed_at': 'truncation.changed_at',
                'captured_at': 'truncation.captured_at',
                'message_number': 'truncation.message_number',
            }) }}
        ))
{%- endmacro %}
