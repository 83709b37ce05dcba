{#
    An escape of the text's own would become such a letter in between, which is none of one byte.
    That lengths differ is found sooner than what the expression looks for.
#}
{% macro has_wide_letters(text) -%}
(octet_length({{ text }}) > char_length({{ text }}) and {{ text }} rlike r'[\x{10000}-\x{10FFFF}]' and not contains({{ text }}, '\\u'))
{%- endmacro %}
