{#
    A JSON text with every number that has a point or an exponent in quotes. from_json keeps the others,
    integers of any length, as they are.

    As in numbers_quoted(), the expression steps over whole strings, and over whole integers; what looks like a
    number and is none of JSON's ends the quoting, so that the text stays broken.

    Arguments:
        json (string): an SQL expression of type string.
        mark (string): an SQL expression of type string, letters and digits: it is put before and behind
            each number within the quotes, by which documents_as_texts() tells it from a text.
#}
{% macro decimals_quoted(json, mark="''") -%}
regexp_replace(
    {{ json }},
    r'\G([^"0-9-]*+(?:(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?(?:0|[1-9][0-9]*+)(?=\s*+[,}\]]))[^"0-9-]*+)*+)(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?+|[eE][+-]?[0-9]++))(?=\s*+[,}\]])',
    concat('$1"', {{ mark }}, '$2', {{ mark }}, '"')
)
{%- endmacro %}
