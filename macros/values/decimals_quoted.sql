{#
    from_json keeps integers of any length. As in numbers_quoted(), the expression steps over whole
    strings, and over whole integers; what looks like a number but is not valid JSON ends the
    quoting, so that the text stays invalid.
#}
{% macro decimals_quoted(json, mark="''") -%}
regexp_replace(
    {{ json }},
    r'\G([^"0-9-]*+(?:(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?(?:0|[1-9][0-9]*+)(?=\s*+[,}\]]))[^"0-9-]*+)*+)(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++(?:[eE][+-]?[0-9]++)?+|[eE][+-]?[0-9]++))(?=\s*+[,}\]])',
    concat('$1"', {{ mark }}, '$2', {{ mark }}, '"')
)
{%- endmacro %}
