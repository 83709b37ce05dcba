{% macro is_before_truncation(prefix, truncations, shard) -%}
{%- for truncation in truncations -%}
{%- set is_before = is_before_point(prefix, truncation_literals(truncation)) -%}
{%- set of_shard = '(' ~ shard ~ ' = ' ~ sql_string(truncation.shard) ~ ' and ' ~ is_before ~ ')' -%}
{{ of_shard if truncation.shard else is_before }}{{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
