{# Spark ignores what follows the first document. #}
{% macro json_value(text, type) -%}
get(get(filter(
    array(from_json({{ long_decimals_quoted("concat('[', " ~ text ~ ", ']')") }}, 'array<{{ type }}>')),
    values -> size(values) = 1
), 0), 0)
{%- endmacro %}
