{# The order of the changes of a key whose events stand in one partition. #}
{% macro offset_order() -%}
struct(kafka_offset, is_image, row_index)
{%- endmacro %}
