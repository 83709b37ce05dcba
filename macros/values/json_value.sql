{#
    The value of a JSON text; null where it has another form, or where anything else stands behind it, which
    Spark would not look at. A number with more digits than a double holds keeps them.

    Arguments:
        text (string): an expression of type string.
        type (string): array<string> or map<string,string>.
#}
{% macro json_value(text, type) -%}
get(get(filter(
    array(from_json({{ long_decimals_quoted("concat('[', " ~ text ~ ", ']')") }}, 'array<{{ type }}>')),
    values -> size(values) = 1
), 0), 0)
{%- endmacro %}
