{# A MERGE keeps keys unique. #}
{% macro is_merged() -%}
{{ return(execute and model.attached_node in run_notes().merged) }}
{%- endmacro %}
