{#
    Properties of a state table as `tblproperties` has them.

    Arguments:
        properties (dictionary): see state_properties().
#}
{% macro properties_text(properties) -%}
{%- for name, value in properties.items() -%}
'changelake.{{ name }}' = {{ sql_string(value) }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
