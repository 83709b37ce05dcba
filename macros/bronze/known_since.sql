{% macro known_since(schemas) -%}
{%- if schemas -%}
outcome = 'rejected' and reject_reason = 'unknown_schema' and substring_index(reject_detail, ' ', -1) in ({{ sql_strings(schemas | map(attribute='header') | list) | join(', ') }})
{%- endif -%}
{%- endmacro %}
