{#
    The checksum of what a table of the schema `state` and its view are built from, apart from the events'
    content: another one has a run look at all of it.

    Arguments:
        table (dictionary): the model's meta, see declared_table().
        view (string): see state_view_definition().
#}
{% macro built_checksum(table, view) -%}
{#- a view keeps the types of what it reads -#}
{{ return(local_md5(tojson([state_properties(table), view, declared_columns(table)]))) }}
{%- endmacro %}
