{% macro built_checksum(table, view) -%}
{#- a view keeps the types of what it reads -#}
{{ return(local_md5(tojson([state_properties(table), view, declared_columns(table)]))) }}
{%- endmacro %}
