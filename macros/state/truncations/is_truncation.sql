{# The condition that keeps the rows of a state that remember where a table was truncated, see truncation_key(). #}
{% macro is_truncation() -%}
_key < '0'
{%- endmacro %}
