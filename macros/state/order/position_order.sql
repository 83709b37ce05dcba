{% macro position_order(prefix, is_image) -%}
struct(
                {{ position_numbers(prefix ~ 'source_position') }} as position,
                {{ moment(prefix) }} as moment,
                {{ is_image }} as is_image,
                {{ prefix }}kafka_offset as kafka_offset
            )
{%- endmacro %}
