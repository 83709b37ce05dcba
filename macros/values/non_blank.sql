{% macro non_blank(text) -%}
nullif({{ text }}, '')
{%- endmacro %}
