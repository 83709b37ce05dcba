{#
    A text as a string of JSON, in quotes.

    Arguments:
        text (string): an expression of type string.
#}
{% macro json_string(text) -%}
regexp_extract(to_json(array({{ text }})), r'(?s)^\[(.*)\]\z', 1)
{%- endmacro %}
