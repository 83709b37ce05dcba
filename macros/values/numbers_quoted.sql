{#
    The expression steps over whole strings, each match beginning where the last one ended (\G), so
    that it can never touch a digit inside a string; its quantifiers are possessive, so that it
    neither backtracks nor overflows the stack. What looks like a number but is not valid JSON, such
    as `007` or `1.2.3`, ends the quoting, so that the text stays invalid.
#}
{% macro numbers_quoted(json) -%}
regexp_replace(
    {{ json }},
    r'\G([^"0-9-]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"0-9-]*+)*+)(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)(?=\s*+[,}\]])',
    '$1"$2"'
)
{%- endmacro %}
