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
{{ '(' ~ shard ~ ' = ' ~ sql_string(emptied.shard) ~ ' and ' if emptied.shard }}case
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
        end{{ ')' if emptied.shard }}{{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
