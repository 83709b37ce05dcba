{#
    Whether an update gives the row another key: both images hold a column of it, with two values.

    Arguments:
        key (list of dictionaries): the key's columns, see declared_column().
#}
{% macro key_differs(key) -%}
{%- for column in key -%}
{%- set name = sql_string(column.source) -%}
(not before[{{ name }}] <=> after[{{ name }}] and map_contains_key(before, {{ name }}) and map_contains_key(after, {{ name }})){{ '' if loop.last else ' or ' }}
{%- endfor -%}
{%- endmacro %}
