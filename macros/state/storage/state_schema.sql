{# dbt itself does not know these tables, so no model's config can say it. #}
{% macro state_schema() -%}
{{ return(var('changelake_state_schema', 'state')) }}
{%- endmacro %}
