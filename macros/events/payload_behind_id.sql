{% macro payload_behind_id() -%}
(?:schemaId|id)"\s*+:\s*+[0-9]++\s*+,\s*+"payload"\s*+:\s*+\{
{%- endmacro %}
