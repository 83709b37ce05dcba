{#
    Whether this run has merged the tested current table, or found nothing new for it, and its keys were
    no fault of an earlier run: a MERGE keeps them apart.
#}
{% macro is_merged() -%}
{{ return(execute and model.attached_node in run_notes().merged) }}
{%- endmacro %}
