{% macro byte_bits(bytes) -%}
transform(regexp_extract_all(hex({{ bytes }}), '(..)', 1), byte -> lpad(conv(byte, 16, 2), 8, '0'))
{%- endmacro %}
