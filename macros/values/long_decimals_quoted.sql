{#
    The search looks behind only from a point's digits or an `e` after a digit, so that a text
    without such numbers costs one pass, and hexadecimal digits do not match; looking ahead from
    each colon took four times as long.
#}
{% macro long_decimals_quoted(json) -%}
if(
    {{ json }} rlike r'[.eE](?:(?<=[0-9][eE])(?<=[:,\[]\s?-?[0-9]{1,18}[eE])|(?<=\.)[0-9]++(?:[eE]|(?<=[0-9.]{17})))',
    {{ numbers_quoted(json) }},
    {{ json }}
)
{%- endmacro %}
