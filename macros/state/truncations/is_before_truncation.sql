{% macro is_before_truncation(prefix, truncations, shard) -%}
{%- for truncation in truncations -%}
{{ '(' ~ shard ~ ' = ' ~ sql_string(truncation.shard) ~ ' and ' if truncation.shard }}{{ is_before_point(prefix, truncation_literals(truncation)) }}{{ ')' if truncation.shard }}{{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
