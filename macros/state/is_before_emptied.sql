{#
    Whether a change, or a row of the state, lies before the point at which its table was emptied.

    Arguments:
        prefix (string): what stands before the columns' names, for example `old._`.
        emptied (dictionary): the position of the truncate or drop, see state_news().
#}
{% macro is_before_emptied(prefix, emptied) -%}
{%- set number = "number -> try_cast(number as decimal(38, 0))" -%}
case
            when {{ prefix }}kafka_topic = {{ sql_string(emptied.kafka_topic) }} and {{ prefix }}kafka_partition = {{ emptied.kafka_partition }}
                then {{ prefix }}kafka_offset < {{ emptied.kafka_offset }}
            {%- if emptied.source_position %}
            when {{ prefix }}source_position is not null
                then transform(regexp_extract_all({{ prefix }}source_position, '([0-9]+)', 1), {{ number }})
                    < transform(regexp_extract_all({{ sql_string(emptied.source_position) }}, '([0-9]+)', 1), {{ number }})
            {%- endif %}
            else coalesce({{ prefix }}committed_at < timestamp{{ sql_string(emptied.committed_at or '0001-01-01') }}, false)
        end
{%- endmacro %}
