{% macro selected_formats() -%}
{%- set selected = [] -%}
{%- for format in formats_in_use() if 'model.changelake.' ~ format ~ '_events' in selected_resources -%}
{%- do selected.append(format) -%}
{%- endfor -%}
{{ return(selected) }}
{%- endmacro %}
