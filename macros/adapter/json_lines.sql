{#
    What the scripts have written down about the lake: files of JSON, an object a line, which need not be
    there yet. Their lines are a table of one text column, so that other columns need no other table; it is
    made only by commands that write.

    Arguments:
        lines (relation): that table; its files lie in `monitoring/<its name>/<target>` of the lake.
        columns (string): the objects' fields, with types, as from_json takes them.

    Returns: a select of these columns, all of them null for a line that is broken.
#}
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
