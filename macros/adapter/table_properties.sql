{#
    The properties of a table, as `tblproperties` set them.

    Arguments:
        relation (relation): a table that is there.

    Returns: a dictionary of texts.
#}
{% macro table_properties(relation) -%}
{{ return(dict(run_query('show tblproperties ' ~ relation).rows | map('list'))) }}
{%- endmacro %}
