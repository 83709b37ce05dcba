{#
    How often the table, or its shard, had been truncated before a change. A table can have been truncated
    thousands of times, so this is one expression over a list, and no sum that is as deep.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        truncations (list of dictionaries): the positions of truncates and drops, see pending_versions().
        shard (string): an expression of type string: the shard of the change.
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
