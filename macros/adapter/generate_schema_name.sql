{# Without dbt's prefix: users and scripts query the schemas by these names. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
{{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}
