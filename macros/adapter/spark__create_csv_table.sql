{#
    The empty table of a seed, in place of the one before. dbt-spark drops and creates: killed in
    between, it leaves a directory over which the next `create table` fails for good.
#}
{% macro spark__create_csv_table(model, agate_table) -%}
{%- set types = model['config'].get('column_types', {}) -%}
{%- set sql -%}
create or replace table {{ this.render() }} (
    {%- for name in agate_table.column_names %}
    {{ sql_name(name) }} {{ types.get(name, adapter.convert_type(agate_table, loop.index0)) }}{{ '' if loop.last else ',' }}
    {%- endfor %}
) using delta
{%- endset -%}
{%- do run_query(sql) -%}
{{ return(sql) }}
{%- endmacro %}
