{% macro is_truncation() -%}
_key < '0'
{%- endmacro %}
