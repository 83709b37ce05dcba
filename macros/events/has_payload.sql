{% macro has_payload(json) -%}
(
        startswith({{ json }}, '{"schema":')
        or (not startswith({{ json }}, '{"before":') and left({{ json }}, 64) rlike r'^\s*+\{\s*+"(?:(?:schema|payload)"\s*+:|(?:schemaId|id)"\s*+:\s*+[0-9]++\s*+,\s*+"payload"\s*+:\s*+\{)')
    )
{%- endmacro %}
