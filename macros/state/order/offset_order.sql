{#
    Rows leave their old keys first: where two swap them in one statement, the delete of a key that
    another row has just taken does not concern that row. A row that is deleted is in its turn: one
    message can hold a transaction.
#}
{% macro offset_order() -%}
struct(kafka_offset, is_upsert or operation = 'delete', row_index)
{%- endmacro %}
