{#
    Unit tests whose expectation is written in SQL compare the columns that it names. dbt's own
    materialization wants all of the model's columns there, and makes a table to learn their types.
    The other columns are computed too, as in a run: Spark would leave them out, and what fails in them.
#}
{% materialization unit, adapter='spark' %}
{%- set expected_sql = config.get('expected_sql') -%}
{%- if not expected_sql -%}
{{ return(dbt.materialization_unit_default()) }}
{%- endif -%}
{%- set columns = sql_names(get_columns_in_query(expected_sql)) -%}
{%- call statement('main', fetch_result=True) -%}
{{ get_unit_test_sql(_with_every_column(sql), expected_sql, columns) }}
{%- endcall -%}
{{ return({'relations': []}) }}
{% endmaterialization %}

{% macro _with_every_column(sql) -%}
select *
from (select *, to_json(struct(*)) as every_column from ({{ sql }}))
where every_column is not null
{%- endmacro %}
