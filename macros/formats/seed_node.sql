{% macro seed_node(name) -%}
{{ return(graph.nodes.values() | selectattr('resource_type', 'equalto', 'seed') | selectattr('name', 'equalto', name) | first) }}
{%- endmacro %}
