{#
    A JSON text with every number in quotes.

    The expression steps over whole strings, each match beginning where the last one ended (\G), so
    that it can never touch a digit inside a string; its quantifiers are possessive, so that it
    neither goes back nor fills the stack. What looks like a number and is none of JSON's, as `007` or
    `1.2.3`, ends the quoting, so that the text stays broken.

    Arguments:
        json (string): an SQL expression of type string.
#}
{% macro numbers_quoted(json) -%}
regexp_replace(
    {{ json }},
    r'\G([^"0-9-]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"0-9-]*+)*+)(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)(?=\s*+[,}\]])',
    '$1"$2"'
)
{%- endmacro %}
