{#
    How often the table, or its shard, had been emptied before a change. A table can have been emptied
    thousands of times, so this is one expression over a list, and no sum that is as deep.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        emptyings (list of dictionaries): the positions of truncates and drops, see history_news().
        shard (string): an expression of type string: the shard of the change.
#}
{% macro times_emptied(prefix, emptyings, shard) -%}
size(filter(
            array(
                {%- for emptied in emptyings %}
                struct(
                    {%- for name, literal in emptying_literals(emptied).items() -%}
                    {{ literal }} as {{ name }}{{ ', ' if not loop.last }}
                    {%- endfor -%}
                ){{ ',' if not loop.last }}
                {%- endfor %}
            ),
            emptied -> emptied.shard = {{ shard }} and not {{ is_before_point(prefix, {
                'shard': 'emptied.shard',
                'kafka_topic': 'emptied.kafka_topic',
                'kafka_partition': 'emptied.kafka_partition',
                'kafka_offset': 'emptied.kafka_offset',
                'position': 'emptied.position',
                'changed_at': 'emptied.changed_at',
                'captured_at': 'emptied.captured_at',
                'message_number': 'emptied.message_number',
            }) }}
        ))
{%- endmacro %}
