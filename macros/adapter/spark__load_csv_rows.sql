{#
    The rows of a seed as literals. dbt-spark binds them unescaped (`'%s'`), so that a quote breaks
    the statement and a backslash is lost: JSON samples and topic patterns have both.
#}
{% macro spark__load_csv_rows(model, agate_table) %}
{%- set types = model['config'].get('column_types', {}) -%}
{%- set statements = [] -%}
{%- for chunk in agate_table.rows | batch(get_batch_size()) -%}
{%- set sql -%}
insert into {{ this.render() }} values
{%- for row in chunk %}
(
    {%- for name in agate_table.column_names -%}
    cast({{ sql_string(row[loop.index0]) }} as {{ types.get(name, adapter.convert_type(agate_table, loop.index0)) }})
    {%- if not loop.last %}, {% endif -%}
    {%- endfor -%}
)
{%- if not loop.last %},{% endif -%}
{%- endfor -%}
{%- endset -%}
{%- do adapter.add_query(sql, abridge_sql_log=True) -%}
{%- do statements.append(sql) -%}
{%- endfor -%}
{{ return(statements[0]) }}
{% endmacro %}
