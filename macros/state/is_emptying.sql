{# The condition that keeps the rows of a state that remember where a table was emptied, see emptying_key(). #}
{% macro is_emptying() -%}
_key < '0'
{%- endmacro %}
