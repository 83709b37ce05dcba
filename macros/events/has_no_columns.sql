{% macro has_no_columns(image) -%}
not coalesce(size({{ image }}) > 0, false)
{%- endmacro %}
