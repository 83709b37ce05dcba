{#
    Schemas are named as the design names them (`silver`, not `<target schema>_silver`): what is
    built is queried from outside by these names.
#}
{% macro generate_schema_name(custom_schema_name, node) -%}
{{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}
