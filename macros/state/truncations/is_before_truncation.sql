{# A table of shards may have hundreds of truncations: they are a list, so that the condition stands once. #}
{% macro is_before_truncation(prefix, truncations, shard) -%}
{%- if truncations and truncations[0].shard -%}
exists(
            {{ truncation_list(truncations) }},
            truncation -> truncation.shard = {{ shard }} and {{ is_before_listed(prefix, truncations) }}
        )
{%- elif truncations -%}
{{ is_before_point(prefix, truncation_literals(truncations[0])) }}
{%- endif -%}
{%- endmacro %}
