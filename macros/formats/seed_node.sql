{#
    The node of a seed in dbt's graph, which lies in the project that has this one as a package, or here.

    Arguments:
        name (string): the seed's name.
#}
{% macro seed_node(name) -%}
{{ return(graph.nodes.values() | selectattr('resource_type', 'equalto', 'seed') | selectattr('name', 'equalto', name) | first) }}
{%- endmacro %}
