{% macro decode_array(text, element, time_zone) -%}
{#- lambdas bind the parsed and decoded values to names, since they are used several times -#}
get(transform(
    array(transform(
        {{ _element_texts(text) }},
        element -> struct(element as text, {{ decode('element', element, time_zone) }} as value)
    )),
    elements -> if(exists(elements, one -> one.text is not null and one.value is null), null, elements.value)
), 0)
{%- endmacro %}

{#
    The elements' texts, of a list of JSON or of PostgreSQL's own text of one dimension: `{1,"a b",NULL}`. That
    text is read whole or not at all: what was found has to make it again.
#}
{% macro _element_texts(text) -%}
if(
            startswith({{ text }}, '{'),
            get(transform(
                filter(
                    array(regexp_extract_all({{ text }}, r'\G[{,]("(?:[^"\\]++|\\["\\])*+"|[^{},"\\]++)', 1)),
                    parts -> concat('{', array_join(parts, ','), '}') = {{ text }}
                ),
                parts -> transform(parts, part -> case
                    when part = 'NULL' then null
                    when startswith(part, '"') then regexp_replace(substr(part, 2, length(part) - 2), r'\\(["\\])', '$1')
                    else part
                end)
            ), 0),
            {{ json_value(text, 'array<string>') }}
        )
{%- endmacro %}
