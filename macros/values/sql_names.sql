{% macro sql_names(names) -%}
{%- set quoted = [] -%}
{%- for name in names -%}
{%- do quoted.append(sql_name(name)) -%}
{%- endfor -%}
{{ return(quoted) }}
{%- endmacro %}
