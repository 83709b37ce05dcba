{% macro declared_columns(table) -%}
{%- set columns = [] -%}
{%- for name, declaration in table.columns.items() -%}
{%- do columns.append(declared_column(name, declaration)) -%}
{%- endfor -%}
{{ return(columns) }}
{%- endmacro %}
