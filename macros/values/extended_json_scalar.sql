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
