{#
    The value as text, with every JSON number in quotes where the message holds one that a double
    cannot hold: from_json would rewrite it (`123456789012345678901.5` → `1.2345678901234568E20`).

    The first expression finds the messages that need it: a number with a fraction or an exponent
    and more than 15 digits or any exponent. The second steps over whole strings, each match beginning
    where the last one ended (\G), so that it can never touch a digit inside a string; its
    quantifiers are possessive, so that it neither goes back nor fills the stack.
#}
{% macro exact_numbers_quoted() -%}
if(
    cast(value as string) rlike r'[:\[,]\s*+-?+(?:[0-9]++[eE]|(?=[0-9.]{17})[0-9]++\.|[0-9]++\.[0-9]++[eE])',
    regexp_replace(
        cast(value as string),
        r'\G([^"0-9-]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"0-9-]*+)*+)(-?[0-9][0-9.eE+-]*+)',
        '$1"$2"'
    ),
    cast(value as string)
)
{%- endmacro %}
