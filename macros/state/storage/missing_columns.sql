{% macro missing_columns(table, present) -%}
{#- Spark ignores the case of names -#}
{%- set present_in_lower = present | map('lower') | list -%}
{%- set missing = [] -%}
{%- for column in declared_columns(table) if column.name | lower not in present_in_lower -%}
{%- do missing.append(sql_name(column.name) ~ ' ' ~ column.type) -%}
{%- endfor -%}
{{ return(missing) }}
{%- endmacro %}
