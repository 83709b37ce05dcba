{# A table with one text column, so that other fields need no other table. #}
{% macro json_lines(lines, columns) -%}
{%- if execute and is_building() -%}
{%- do run_query('create schema if not exists ' ~ lines.schema) -%}
{%- do run_query(
    'create table if not exists ' ~ lines ~ ' (value string) using text location '
    ~ sql_string([lake_location(), 'monitoring', lines.identifier, target.name] | join('/'))
) -%}
{%- endif -%}
-- inlined, so that it is read once and not once a column
select inline(array(from_json(value, {{ sql_string(columns.split() | join(' ')) }})))
from {{ lines }}
{%- endmacro %}
