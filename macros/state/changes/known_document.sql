{% macro known_document(document, fragment) -%}
coalesce(
            if({{ document }} is null, null, struct({{ document }} as text, cast(null as array<string>) as known)),
            {{ fragment }},
            struct(cast(null as string) as text, cast(array() as array<string>) as known)
        )
{%- endmacro %}
