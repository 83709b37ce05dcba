{% macro latin1_as_utf8(text) -%}
decode(encode({{ text }}, 'ISO-8859-1'), 'UTF-8')
{%- endmacro %}
