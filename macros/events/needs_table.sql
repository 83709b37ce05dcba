{# Without the name, the table's rows would silently be kept, or removed. #}
{% macro needs_table() -%}
(event_type in ('row', 'truncate') or operation = 'drop')
{%- endmacro %}
