{#
    The table of a seed without rows; one with rows comes with them, see spark__load_csv_rows().
    dbt-spark drops and creates: killed in between, it leaves a directory over which the next `create
    table` fails for good; and a seed that is empty for a moment can stay so.
#}
{% macro spark__create_csv_table(model, agate_table) -%}
{%- if agate_table.rows | length > 0 -%}
{{ return('') }}
{%- endif -%}
{%- set sql -%}
create or replace table {{ this.render() }} (
    {%- for type in _seed_types(model, agate_table) %}
    {{ sql_name(agate_table.column_names[loop.index0]) }} {{ type }}{{ '' if loop.last else ',' }}
    {%- endfor %}
) using delta
{%- endset -%}
{%- do run_query(sql) -%}
{{ return(sql) }}
{%- endmacro %}

{# The types of a seed's columns: as its yml says, else as agate guesses them. #}
{% macro _seed_types(model, agate_table) -%}
{%- set types = [] -%}
{%- for name in agate_table.column_names -%}
{%- do types.append(model['config'].get('column_types', {}).get(name, adapter.convert_type(agate_table, loop.index0))) -%}
{%- endfor -%}
{{ return(types) }}
{%- endmacro %}
