{% macro image_holds(image, column) -%}
{%- for source in column.sources -%}
map_contains_key({{ image }}, {{ sql_string(source) }}){{ ' or ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}
