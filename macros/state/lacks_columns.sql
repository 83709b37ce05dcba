{#
    Whether an image after an event leaves out declared columns: the dialect says so, or it has fewer
    columns than the model declares (one that the source dropped, or generates and does not send).
    What is absent is kept as the row has it; null would say that the source holds NULL. Of a document,
    which has the fields it has, only the dialect can say it.

    Arguments:
        columns (dictionary): column → declaration, see declared_column().
#}
{% macro lacks_columns(columns) -%}
{%- if document_column(columns) -%}
coalesce(is_partial, false)
{%- else -%}
(coalesce(is_partial, false) or coalesce(array_size(map_keys(`after`)) < {{ columns | length }}, false))
{%- endif -%}
{%- endmacro %}
