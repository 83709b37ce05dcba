{% macro utf8_names() -%}
'utf8mb4', 'utf8', 'utf8mb3', 'UTF-8', 'UTF8', 'utf-8', 'AL32UTF8', 'ascii', 'US-ASCII', 'ASCII'
{%- endmacro %}
