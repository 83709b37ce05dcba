{#
    Whether this run has merged the tested current table, or found nothing new for it: it was not built
    anew then, and a MERGE keeps its keys apart.
#}
{% macro is_merged() -%}
{{ return(execute and model.attached_node in run_notes().merged) }}
{%- endmacro %}
