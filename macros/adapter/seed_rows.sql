{% macro seed_rows(agate_table) -%}
{%- set rows = [] -%}
{%- for row in agate_table.rows if not (row[0] | string).startswith('#') -%}
{%- do rows.append(row) -%}
{%- endfor -%}
{{ return(rows) }}
{%- endmacro %}
