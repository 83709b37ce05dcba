{#
    Whether a change, or a row of the state, lies before the point at which its table was emptied.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        emptyings (list of dictionaries): the positions of truncates and drops, see state_news(), at
            most one a shard.
        shard (string): an expression of type string: the shard of the change or row.
#}
{% macro is_before_emptied(prefix, emptyings, shard) -%}
{%- for emptied in emptyings -%}
{{ '(' ~ shard ~ ' = ' ~ sql_string(emptied.shard) ~ ' and ' if emptied.shard }}{{ _is_before_point(prefix, _emptying_literals(emptied)) }}{{ ')' if emptied.shard }}{{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}

{# Where a table was emptied, as literals of SQL by name. #}
{% macro _emptying_literals(emptied) -%}
{{ return({
    'shard': sql_string(emptied.shard),
    'kafka_topic': sql_string(emptied.kafka_topic),
    'kafka_partition': emptied.kafka_partition,
    'kafka_offset': emptied.kafka_offset ~ 'L',
    'position': position_numbers(sql_string(emptied.get('source_position'))),
    'changed_at': 'timestamp' ~ sql_string(emptied.changed_at),
}) }}
{%- endmacro %}

{# Within a partition the offset decides; positions begin again after a failover: what was changed later is never before. #}
{% macro _is_before_point(prefix, point) -%}
case
            when {{ prefix }}kafka_topic = {{ point.kafka_topic }} and {{ prefix }}kafka_partition = {{ point.kafka_partition }}
                then {{ prefix }}kafka_offset < {{ point.kafka_offset }}
            when {{ prefix }}source_position is not null and {{ point.position }} is not null
                then {{ position_numbers(prefix ~ 'source_position') }} < {{ point.position }}
                    and {{ changed_at(prefix) }} <= {{ point.changed_at }}
            else {{ changed_at(prefix) }} < {{ point.changed_at }}
        end
{%- endmacro %}
