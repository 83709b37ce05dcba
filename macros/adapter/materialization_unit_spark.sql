{#
    Unit tests with an expectation in SQL compare only the columns that it names. dbt's own
    materialization requires all columns of the model, and creates a table to learn their types.
    The other columns are computed too, as in a run: Spark would skip them, and any failure in them.
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
