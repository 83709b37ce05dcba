{% macro holds_column(names, column) -%}
{%- for source in column.sources -%}
array_contains({{ names }}, {{ sql_string(source) }}){{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
