{# Positions restart after a failover: a later change never counts as earlier. #}
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
