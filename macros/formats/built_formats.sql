{#
    A format whose events are left alone has nothing that was not counted and compared when they
    were built, so a run with new messages of one feed asks nothing of the others' tables.
#}
{% macro built_formats() -%}
{{ return(selected_formats() or formats_in_use()) }}
{%- endmacro %}
