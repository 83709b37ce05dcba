{# An empty table lets a build work before anything has landed. #}
{% macro has_bronze_table(bronze, columns=bronze_columns(), partitions='partitioned by (landed_date)', properties=bronze_properties()) -%}
{%- if 'bronze' not in run_notes() -%}
{%- do run_query('create schema if not exists ' ~ bronze.schema) -%}
{%- do run_notes().update({'bronze': run_query('show tables in ' ~ bronze.schema).columns['tableName'].values() | list}) -%}
{%- endif -%}
{%- if bronze.identifier in run_notes().bronze -%}
{{ return(true) }}
{%- endif -%}
{%- if not is_building() and flags.WHICH not in ('test', 'seed') -%}
{{ return(false) }}
{%- endif -%}
{%- do run_query(
    'create table if not exists ' ~ bronze ~ ' (' ~ columns ~ ') using delta ' ~ partitions
    ~ (' location ' ~ sql_string(lake_location() ~ '/bronze/' ~ bronze.identifier) ~ " tblproperties (" ~ properties ~ ')' if target.name != 'sample' else '')
) -%}
{{ return(true) }}
{%- endmacro %}
