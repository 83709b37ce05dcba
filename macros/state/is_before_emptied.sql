{#
    Whether a change, or a row of the state, lies before the point at which its table was emptied.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        emptied (dictionary): the position of the truncate or drop, see state_news().
#}
{% macro is_before_emptied(prefix, emptied) -%}
case
            when {{ prefix }}kafka_topic = {{ sql_string(emptied.kafka_topic) }} and {{ prefix }}kafka_partition = {{ emptied.kafka_partition }}
                then {{ prefix }}kafka_offset < {{ emptied.kafka_offset }}
            {%- if emptied.source_position %}
            when {{ prefix }}source_position is not null
                -- positions begin again after a failover: what was committed later is never before
                then {{ position_numbers(prefix ~ 'source_position') }} < {{ position_numbers(sql_string(emptied.source_position)) }}
                    {%- if emptied.committed_at %}
                    and coalesce({{ prefix }}committed_at <= timestamp{{ sql_string(emptied.committed_at) }}, true)
                    {%- endif %}
            {%- endif %}
            else coalesce({{ prefix }}committed_at < timestamp{{ sql_string(emptied.committed_at or '0001-01-01') }}, false)
        end
{%- endmacro %}
