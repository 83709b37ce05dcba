{#
    What a scalar of MongoDB's Extended JSON holds: `{"$numberLong":"5"}` → `5`. Any other text, a plain
    scalar among them, is passed on.

    Arguments:
        text (string): an expression of type string.
        types (list of string): the types to take, without their `$`.

    Returns: an expression of type string.
#}
{% macro extended_json_scalar(text, types) -%}
if(
    {{ text }} like '{"$%',
    coalesce(
        nullif(regexp_extract({{ text }}, r'^\{"\$(?:{{ types | join('|') }})":(?:\{"\$numberLong":)?"([^"\\]*+)"\}{1,2}\z', 1), ''),
        {{ text }}
    ),
    {{ text }}
)
{%- endmacro %}
