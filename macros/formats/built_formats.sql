{#
    A format whose events are left alone has nothing that was not counted and compared when they
    were built, so a run with news of one feed asks nothing of the others' tables.
#}
{% macro built_formats() -%}
{%- set built = [] -%}
{%- for format in formats_in_use() if 'model.changelake.' ~ format ~ '_events' in selected_resources -%}
{%- do built.append(format) -%}
{%- endfor -%}
{{ return(built or formats_in_use()) }}
{%- endmacro %}
