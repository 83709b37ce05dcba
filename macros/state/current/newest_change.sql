{% macro newest_change(image) -%}
struct(
            {{ image }} as image,
            newest.is_upsert,
            newest.is_move,
            newest.gone,
            newest.committed_at,
            newest.changed_at,
            newest.captured_at,
            newest.message_number,
            newest.feed,
            newest.kafka_topic,
            newest.kafka_partition,
            newest.kafka_offset,
            newest.source_position,
            newest.time_zone
        )
{%- endmacro %}
