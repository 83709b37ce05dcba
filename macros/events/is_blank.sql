{% macro is_blank(text) -%}
not coalesce({{ text }} rlike r'\S', false)
{%- endmacro %}
