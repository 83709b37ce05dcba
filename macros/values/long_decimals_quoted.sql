{#
    A JSON text with every number in quotes where it holds one that a double may not keep: one with
    a fraction and 16 digits or more, or with an exponent (Java reads 2E+23 as
    1.9999999999999998E23). An integer is kept as it is.

    The search looks behind only from a point's digits or an `e` after a digit, so that a text without
    such numbers costs one pass, and hexadecimal digits are none; written with a look ahead from each
    colon it took four times as long.

    Arguments:
        json (string): an SQL expression of type string.
#}
{% macro long_decimals_quoted(json) -%}
if(
    {{ json }} rlike r'[.eE](?:(?<=[0-9][eE])(?<=[:,\[]\s?-?[0-9]{1,18}[eE])|(?<=\.)[0-9]++(?:[eE]|(?<=[0-9.]{17})))',
    {{ numbers_quoted(json) }},
    {{ json }}
)
{%- endmacro %}
