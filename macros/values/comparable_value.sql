{# Spark cannot compare maps or variants. #}
{% macro comparable_value(value, column) -%}
{{ 'sort_array(map_entries(' ~ value ~ '))' if column.type.startswith('map<') else 'to_json(' ~ value ~ ')' if column.type == 'variant' else value }}
{%- endmacro %}
