{% macro view_names(schema) -%}
{%- set names = [] -%}
{%- for _, name, is_temporary in run_query('show views in ' ~ schema).rows if not is_temporary -%}
{%- do names.append(name) -%}
{%- endfor -%}
{{ return(names) }}
{%- endmacro %}
