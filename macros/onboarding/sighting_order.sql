{# The source's times may be wrong: last_moment begins with the batch. It is null if an earlier version of the project saw the column last. #}
{% macro sighting_order() -%}
struct(last_batch, last_moment, last_seen_at)
{%- endmacro %}
