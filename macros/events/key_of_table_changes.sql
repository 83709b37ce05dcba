{% macro key_of_table_changes(table_changes) -%}
try_variant_get(try_parse_json({{ table_changes }}), '$.table.primaryKeyColumnNames', 'array<string>')
{%- endmacro %}
