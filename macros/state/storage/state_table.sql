{% macro state_table(relation, suffix='') -%}
{{ return(api.Relation.create(schema=state_schema(), identifier=relation.identifier ~ suffix, type='table')) }}
{%- endmacro %}
