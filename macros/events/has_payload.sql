{#
    The condition that a JSON text of Kafka Connect's has its data below `payload`, beside the schema part.

    Arguments:
        json (string): an expression of type string.
#}
{% macro has_payload(json) -%}
(
        startswith({{ json }}, '{"schema":')
        or (not startswith({{ json }}, '{"before":') and left({{ json }}, 64) rlike r'^\s*+\{\s*+"(?:schema|payload)"\s*+:')
    )
{%- endmacro %}
