{#
    A variant holds a number with an exponent, or of more than 38 digits, as a double. A document in which
    a number outside of strings may be more than that is undecodable.
#}
{% macro decode_variant(text) -%}
get(filter(
    array(try_parse_json({{ text }})),
    -- the parser ignores what follows the first document
    value -> json_array_length(concat('[', {{ text }}, ']')) = 1 and not (
        schema_of_variant(value) like '%DOUBLE%'
        and regexp_replace({{ text }}, r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?+\z)', '') rlike r'(?<![0-9.])[0-9.]{17}[0-9.]*+[eE]|[0-9.]{39}|[eE][+-]?[0-9]{3}'
    )
), 0)
{%- endmacro %}
