{# The properties of the Delta tables in the schema `state`. #}
{% macro state_properties() -%}
'delta.enableDeletionVectors' = 'true',
    -- so that columns of any name and type can be added later
    'delta.columnMapping.mode' = 'name',
    'delta.feature.timestampNtz' = 'supported'
{%- endmacro %}
