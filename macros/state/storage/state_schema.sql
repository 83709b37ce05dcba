{# dbt does not know these tables, so their schema cannot be in a model's config. #}
{% macro state_schema() -%}
{{ return(var('changelake_state_schema', 'state')) }}
{%- endmacro %}
