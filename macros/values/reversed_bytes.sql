{% macro reversed_bytes(hex) -%}
array_join(reverse(regexp_extract_all({{ hex }}, '(..)', 1)), '')
{%- endmacro %}
