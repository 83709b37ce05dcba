{% macro position_order(prefix, is_upsert) -%}
struct(
                {{ position_numbers(prefix ~ 'source_position') }} as position,
                {{ moment(prefix) }} as moment,
                {{ is_upsert }} as is_upsert,
                {{ prefix }}kafka_offset as kafka_offset
            )
{%- endmacro %}
