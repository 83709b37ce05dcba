{% macro as_utf8(charset, text) -%}
decode(encode({{ text }}, {{ charset }}), 'UTF-8')
{%- endmacro %}
