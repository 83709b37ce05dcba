{# A seed is loaded anew in place: see spark__create_csv_table(). #}
{% macro spark__reset_csv_table(model, full_refresh, old_relation, agate_table) -%}
{{ return(create_csv_table(model, agate_table)) }}
{%- endmacro %}
