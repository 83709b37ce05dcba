{#
    The relation that one of this project's models was built as.

    Arguments:
        name (string): the model's name.

    Returns: the relation; none where it has not been built.
#}
{% macro built_relation(name) -%}
{%- set node = graph.nodes['model.changelake.' ~ name] -%}
{{ return(adapter.get_relation(none, node.schema, node.alias)) }}
{%- endmacro %}
