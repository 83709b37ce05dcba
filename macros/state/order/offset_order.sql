{% macro offset_order() -%}
struct(kafka_offset, is_image, row_index)
{%- endmacro %}
