{#
    Rows leave their old keys first: where two swap them in one statement, the delete of a key that
    another row has just taken does not concern that row.
#}
{% macro offset_order() -%}
struct(kafka_offset, not leaves_first, row_index, not is_upsert)
{%- endmacro %}
