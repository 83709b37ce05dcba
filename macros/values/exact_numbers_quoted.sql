{#
    The value as text, with every JSON number in quotes where the message holds one that a double
    may not hold: from_json would rewrite it (`123456789012345678901.5` → `1.2345678901234568E20`).

    The first expression finds the messages that need it: a bare number with a fraction and 16
    digits or more, or with an exponent. It looks behind only from the end of a fraction, so that a
    message without such numbers costs one pass: written with a look ahead from each colon it took
    four times as long. The second steps over whole strings, each match beginning where the last one
    ended (\G), so that it can never touch a digit inside a string; its quantifiers are possessive,
    so that it neither goes back nor fills the stack.
#}
{% macro exact_numbers_quoted() -%}
if(
    cast(value as string) rlike r'[:\[,]\s*+-?+[0-9]++(?:[eE]|\.[0-9]++(?:[eE]|(?<=[0-9.]{17})))',
    regexp_replace(
        cast(value as string),
        r'\G([^"0-9-]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"0-9-]*+)*+)(-?[0-9][0-9.eE+-]*+)',
        '$1"$2"'
    ),
    cast(value as string)
)
{%- endmacro %}
