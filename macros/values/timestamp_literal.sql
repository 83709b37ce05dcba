{% macro timestamp_literal(text) -%}
cast({{ sql_string(text) }} as timestamp)
{%- endmacro %}
