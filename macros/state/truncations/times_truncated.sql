{#
    A table may have been truncated thousands of times, so this is one expression over a list, not a
    sum that is nested as deep.
#}
{% macro times_truncated(prefix, truncations, shard) -%}
size(filter(
            {{ truncation_list(truncations) }},
            truncation -> truncation.shard = {{ shard }} and not {{ is_before_listed(prefix, truncations) }}
        ))
{%- endmacro %}
