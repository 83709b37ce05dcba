{#
    Unit tests whose expectation is written in SQL compare the columns that it names. dbt's own
    materialization wants all of the model's columns there, and makes a table to learn their types.
#}
{% materialization unit, adapter='spark' %}
{%- set expected_sql = config.get('expected_sql') -%}
{%- if not expected_sql -%}
{{ return(dbt.materialization_unit_default()) }}
{%- endif -%}
{%- set columns = [] -%}
{%- for name in get_columns_in_query(expected_sql) -%}
{%- do columns.append('`' ~ name ~ '`') -%}
{%- endfor -%}
{%- call statement('main', fetch_result=True) -%}
{{ get_unit_test_sql(sql, expected_sql, columns) }}
{%- endcall -%}
{{ return({'relations': []}) }}
{% endmaterialization %}
