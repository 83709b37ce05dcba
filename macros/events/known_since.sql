{#
    The condition that an event is the reject of a message whose schema has become known since.

    Arguments:
        schemas (list of dictionaries): see registry_schemas().

    Returns: a condition on a table of events; empty where no schema is known.
#}
{% macro known_since(schemas) -%}
{%- if schemas -%}
reject_reason = 'unknown_schema' and substring_index(reject_detail, ' ', -1) in ({{ sql_strings(schemas | map(attribute='header') | list) | join(', ') }})
{%- endif -%}
{%- endmacro %}
