{% macro built_relation(name) -%}
{%- set node = graph.nodes['model.changelake.' ~ name] -%}
{{ return(adapter.get_relation(none, node.schema, node.alias)) }}
{%- endmacro %}
