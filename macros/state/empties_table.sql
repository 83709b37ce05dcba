{# Whether an event empties its table. #}
{% macro empties_table() -%}
(event_type = 'truncate' or operation = 'drop')
{%- endmacro %}
