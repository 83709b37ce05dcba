{% macro events_relation(format) -%}
{%- set found = built_relation(format ~ '_events') -%}
{{ return(found if found and found.type != 'view' else none) }}
{%- endmacro %}
