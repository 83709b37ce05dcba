{% macro truncation_struct(prefix='') -%}
struct(
        {{ 'substring(_key, 2)' if prefix else 'shard' }} as shard,
        {%- for name in ['kafka_topic', 'kafka_partition', 'kafka_offset', 'source_position'] %}
        {{ prefix }}{{ name }} as {{ name }},
        {%- endfor %}
        {{ prefix }}message_number as message_number,
        cast({{ prefix }}committed_at as string) as committed_at,
        cast({{ prefix }}captured_at as string) as captured_at,
        cast({{ changed_at(prefix) }} as string) as changed_at
    )
{%- endmacro %}
