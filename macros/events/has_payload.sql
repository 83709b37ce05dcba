{% macro has_payload(json) -%}
(
        startswith({{ json }}, '{"schema":')
        or (not startswith({{ json }}, '{"before":') and left({{ json }}, 64) rlike r'^\s*+\{\s*+"(?:(?:schema|payload)"\s*+:|{{ payload_behind_id() }})')
    )
{%- endmacro %}
