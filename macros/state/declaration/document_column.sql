{#
    The column that holds a row's whole document, declared `string from document`, or none. In a
    table that has one, partial images are patches of the document: see folded_documents().

    Arguments:
        columns (dictionary): column → declaration, see declared_column().

    Returns: the declared column, or none.
#}
{% macro document_column(columns) -%}
{%- for name, declaration in columns.items() -%}
{%- set column = declared_column(name, declaration) -%}
{%- if column.encoding == 'document' -%}
{{ return(column) }}
{%- endif -%}
{%- endfor -%}
{{ return(none) }}
{%- endmacro %}
