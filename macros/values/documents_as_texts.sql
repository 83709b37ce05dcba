{#
    A JSON text whose documents became strings when it was read and written once more, without the marks of
    decimals_quoted(): a number within such a string is a number again, written as it came, and one
    elsewhere is a text.

    Arguments:
        json (string): an SQL expression of type string.
        mark (string): an expression of type string, the mark.
#}
{% macro documents_as_texts(json, mark) -%}
replace(replace(replace({{ json }}, concat('\\"', {{ mark }}), ''), concat({{ mark }}, '\\"'), ''), {{ mark }}, '')
{%- endmacro %}
