{% macro newest_in_partition(value, condition=none) -%}
max_by({{ value }}, {{ offset_order() }}){{ ' filter (where ' ~ condition ~ ')' if condition }}
{%- endmacro %}
