{#
    dbt-spark drops and creates: a kill in between leaves a directory on which every later
    `create table` fails; and a seed that is empty for a moment may stay empty.
#}
{% macro spark__create_csv_table(model, agate_table) -%}
{%- if seed_rows(agate_table) -%}
{{ return('') }}
{%- endif -%}
{%- set sql -%}
create or replace table {{ this.render() }} (
    {%- for type in seed_types(model, agate_table) %}
    {{ sql_name(agate_table.column_names[loop.index0]) }} {{ type }}{{ '' if loop.last else ',' }}
    {%- endfor %}
) using delta
{%- endset -%}
{%- do run_query(sql) -%}
{{ return(sql) }}
{%- endmacro %}
