{% macro document_column(columns) -%}
{%- for name, declaration in columns.items() -%}
{%- set column = declared_column(name, declaration) -%}
{%- if column.encoding == 'document' -%}
{{ return(column) }}
{%- endif -%}
{%- endfor -%}
{{ return(none) }}
{%- endmacro %}
