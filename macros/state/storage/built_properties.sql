{#
    The properties with which a state table was built, see state_properties().

    Arguments:
        state (relation): a table that is there.

    Returns: a dictionary; what a table of an earlier version has not is not in it.
#}
{% macro built_properties(state) -%}
{%- set properties = {} -%}
{%- for name, value in table_properties(state).items() if name.startswith('changelake.') -%}
{%- do properties.update({name.split('.', 1)[1]: value}) -%}
{%- endfor -%}
{{ return(properties) }}
{%- endmacro %}
