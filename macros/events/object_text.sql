{% macro object_text(text) -%}
case when startswith({{ text }}, '{') then {{ text }} end
{%- endmacro %}
