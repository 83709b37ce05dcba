{#
    dbt's own version unions a select per row, and Spark plans and runs each of these as a task of
    its own: for the 150 rows of a seed, that took longer than the rest of the test.
#}
{% macro get_fixture_sql(rows, column_name_to_data_types) -%}
{%- set types = dict(column_name_to_data_types or {}) -%}
{%- if not types -%}
{%- for column in adapter.get_columns_in_relation(this) -%}
{%- do types.update({column.name | lower: column.data_type}) -%}
{%- endfor -%}
{%- endif -%}
{%- if not types -%}
{{ return(dbt.get_fixture_sql(rows, column_name_to_data_types)) }}
{%- endif -%}
select * from values
{%- for row in rows or [{}] %}
{%- set values = [] -%}
{%- set given = format_row(row, types) -%}
{%- for name, type in types.items() -%}
{%- do values.append(given.get(name, safe_cast('null', type)) | trim) -%}
{%- endfor %}
({{ values | join(', ') }}){{ ',' if not loop.last }}
{%- endfor %}
as fixture ({{ sql_names(types) | join(', ') }})
{%- if not rows %}
where false
{%- endif %}
{%- endmacro %}
