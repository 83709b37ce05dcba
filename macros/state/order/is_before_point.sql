{#
    Whether a change, or a row of the state, lies before a point of the stream. Within a partition the offset
    decides; elsewhere the position, and where one of the two has none, the moment(). Positions begin again after a
    failover: what was changed later is never before.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        point (dictionary): expressions by name, as truncation_literals() has them.
#}
{% macro is_before_point(prefix, point) -%}
case
            when {{ prefix }}kafka_topic = {{ point.kafka_topic }} and {{ prefix }}kafka_partition = {{ point.kafka_partition }}
                then {{ prefix }}kafka_offset < {{ point.kafka_offset }}
            when {{ prefix }}source_position is not null and {{ point.position }} is not null
                then {{ position_numbers(prefix ~ 'source_position') }} < {{ point.position }}
                    and {{ changed_at(prefix) }} <= {{ point.changed_at }}
            else {{ moment(prefix) }} < struct(
                {{ point.changed_at }} as changed_at, {{ point.captured_at }} as captured_at, {{ point.message_number }} as message_number
            )
        end
{%- endmacro %}
