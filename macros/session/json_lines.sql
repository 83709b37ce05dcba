{# A table with one text column, so that new fields do not change the table. #}
{% macro json_lines(lines, columns) -%}
{%- if execute and is_building() -%}
{%- do run_query('create schema if not exists ' ~ lines.schema) -%}
{%- do run_query(
    'create table if not exists ' ~ lines ~ ' (value string) using text location '
    ~ sql_string([lake_location(), 'monitoring', lines.identifier, target.name] | join('/'))
) -%}
{%- endif -%}
-- inlined, so that each line is parsed once and not once per column
select inline(array(from_json(value, {{ sql_string(columns.split() | join(' ')) }})))
from {{ lines }}
{%- endmacro %}
