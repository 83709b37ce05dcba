{# Spark compares no maps. #}
{% macro comparable_value(value, column) -%}
{{ 'sort_array(map_entries(' ~ value ~ '))' if column.type.startswith('map<') else value }}
{%- endmacro %}
