{% macro built_checksum(table, view) -%}
{#- with the columns, since a view keeps the types of its source -#}
{{ return(local_md5(tojson([state_properties(table), view, declared_columns(table)]))) }}
{%- endmacro %}
