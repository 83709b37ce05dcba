{#
    A text with escapes of its own, but of ASCII, is left out: read as letters of one byte each, an escape
    becomes a letter that has more. Comparing the lengths is quicker than the expression.
#}
{% macro has_wide_letters(text) -%}
(octet_length({{ text }}) > char_length({{ text }}) and {{ text }} rlike r'[\x{10000}-\x{10FFFF}]' and not {{ text }} rlike r'\\u(?!00[0-7])')
{%- endmacro %}
