{% macro tested_key() -%}
{%- set key = [] -%}
{%- if execute -%}
{%- set table = declared_table(graph.nodes[model.attached_node]) -%}
{%- for column in key_of_table(table, declared_columns(table)) -%}
{%- do key.append(column.name) -%}
{%- endfor -%}
{%- endif -%}
{{ return(key) }}
{%- endmacro %}
