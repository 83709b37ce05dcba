{#
    Whether a change is older than the row of its key in the state, as merge_changes() decides it.

    Arguments:
        change (string): an expression of a struct as change_place() has it; null is not older.
#}
{% macro is_older_change(change) -%}
coalesce(case
            when {{ change }}.kafka_topic = state._kafka_topic and {{ change }}.kafka_partition = state._kafka_partition
                then {{ change }}.kafka_offset < state._kafka_offset
            else {{ position_order(change ~ '.', is_image=change ~ '.is_image') }} <= {{ position_order('state._', is_image='not state._is_deleted') }}
        end, false)
{%- endmacro %}
