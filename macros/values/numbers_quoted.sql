{#
    A JSON text with every number in quotes.

    The expression steps over whole strings, each match beginning where the last one ended (\G), so
    that it can never touch a digit inside a string; its quantifiers are possessive, so that it
    neither goes back nor fills the stack.

    Arguments:
        json (string): an SQL expression of type string.
#}
{% macro numbers_quoted(json) -%}
regexp_replace(
    {{ json }},
    r'\G([^"0-9-]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"0-9-]*+)*+)(-?[0-9][0-9.eE+-]*+)',
    '$1"$2"'
)
{%- endmacro %}
