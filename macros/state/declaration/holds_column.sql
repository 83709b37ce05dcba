{#
    Whether an image has a column, under any of its names.

    Arguments:
        names (string): an expression of type array<string>: the names in the image.
        column (dictionary): a declared column, see declared_column().
#}
{% macro holds_column(names, column) -%}
{%- for source in column.sources -%}
array_contains({{ names }}, {{ sql_string(source) }}){{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
