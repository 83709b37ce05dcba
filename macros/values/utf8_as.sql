{% macro utf8_as(charset, text) -%}
decode(encode({{ text }}, 'UTF-8'), {{ charset }})
{%- endmacro %}
