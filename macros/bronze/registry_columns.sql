{% macro registry_columns() -%}
header string, schema_id bigint, registry string, schema string, read_at timestamp
{%- endmacro %}
