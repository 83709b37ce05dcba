{#
    What `<=>` can compare of a value: Spark compares no maps.

    Arguments:
        value (string): an expression of the column's type.
        column (dictionary): a declared column, see declared_column().
#}
{% macro comparable_value(value, column) -%}
{{ 'sort_array(map_entries(' ~ value ~ '))' if column.type.startswith('map<') else value }}
{%- endmacro %}
