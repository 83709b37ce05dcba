{#
    Registers the Delta tables that the landing job writes, and makes the empty ones, so that a
    build works whatever has landed. In target sample the seeds fill them.
#}
{% macro create_bronze_tables() %}
{%- if execute and flags.WHICH in ('build', 'run', 'test', 'seed') -%}
{%- do run_query('create schema if not exists bronze') -%}
{%- set present = run_query('show tables in bronze').columns['tableName'].values() | list -%}
{%- for format in formats() if format not in present -%}
{%- do run_query(
    'create table if not exists bronze.' ~ format ~ ' (' ~ bronze_columns() ~ ') using delta partitioned by (landed_date)'
    ~ (" location '" ~ lake_location() ~ "/bronze/" ~ format ~ "' tblproperties (" ~ bronze_properties() ~ ')' if target.name != 'sample' else '')
) -%}
{%- endfor -%}
{%- endif -%}
{% endmacro %}
