{% macro offset_order() -%}
struct(kafka_offset, is_upsert, row_index)
{%- endmacro %}
