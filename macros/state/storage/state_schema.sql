{#
    The schema of the tables behind the current and history tables: the var `changelake_state_schema`,
    by default `state`. dbt itself knows nothing of these tables, so no config of a model says it.
#}
{% macro state_schema() -%}
{{ return(var('changelake_state_schema', 'state')) }}
{%- endmacro %}
