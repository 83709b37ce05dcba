{#
    Where a table was emptied, as the runs hand it on.

    Arguments:
        prefix (string): what stands before the columns' names: nothing for events, `_` for the
            markers of a state.
        changed_at (string): an expression of type timestamp: when it was, for a table of versions.
#}
{% macro emptying_struct(prefix='', changed_at='null') -%}
struct(
        {{ 'substring(_key, 2)' if prefix else 'shard' }} as shard,
        {%- for name in ['kafka_topic', 'kafka_partition', 'kafka_offset', 'source_position'] %}
        {{ prefix }}{{ name }} as {{ name }},
        {%- endfor %}
        cast({{ prefix }}committed_at as string) as committed_at,
        cast({{ changed_at }} as string) as changed_at
    )
{%- endmacro %}
