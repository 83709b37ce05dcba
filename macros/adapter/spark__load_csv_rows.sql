{#
    One statement, since a kill then leaves either the old rows or the new. dbt-spark binds values
    unescaped (`'%s'`), so that a quote breaks the statement and a backslash is lost: JSON samples
    and topic patterns have both.
#}
{% macro spark__load_csv_rows(model, agate_table) %}
{%- set rows = seed_rows(agate_table) -%}
{%- if not rows -%}
{{ return('') }}
{%- endif -%}
{%- set types = seed_types(model, agate_table) -%}
{%- set sql -%}
create or replace table {{ this.render() }}
using delta
as
select *
from values
{%- for row in rows %}
(
    {%- for type in types -%}
    cast({{ sql_string(row[loop.index0]) }} as {{ type }})
    {%- if not loop.last %}, {% endif -%}
    {%- endfor -%}
)
{%- if not loop.last %},{% endif -%}
{%- endfor %}
as rows ({{ sql_names(agate_table.column_names) | join(', ') }})
{%- endset -%}
{%- do adapter.add_query(sql, abridge_sql_log=True) -%}
{{ return(sql) }}
{% endmacro %}
