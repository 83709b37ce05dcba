{# A time of the source's may be wrong: last_moment begins with the batch. It is null where an earlier version saw the column last. #}
{% macro sighting_order() -%}
struct(last_batch, last_moment, last_seen_at)
{%- endmacro %}
