{% macro sql_strings(texts) -%}
{%- set literals = [] -%}
{%- for text in texts -%}
{%- do literals.append(sql_string(text)) -%}
{%- endfor -%}
{{ return(literals) }}
{%- endmacro %}
