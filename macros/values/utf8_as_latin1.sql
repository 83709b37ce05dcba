{% macro utf8_as_latin1(text) -%}
decode(encode({{ text }}, 'UTF-8'), 'ISO-8859-1')
{%- endmacro %}
