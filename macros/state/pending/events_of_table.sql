{% macro events_of_table(events, table) -%}
{%- set name = "concat_ws('.', database_name, schema_name, table_name)" -%}
{%- set is_placed = format_traits().snapshots_are_placed -%}
{%- set replaced = (['`before`', '`after`'] if table.shards else []) + ([] if is_placed else ['source_position']) -%}
select
    *{{ ' except (' ~ replaced | join(', ') ~ ')' if replaced }},
    {%- if not is_placed %}
    if(operation = 'snapshot', null, source_position) as source_position,
    {%- endif %}
    {%- if table.shards %}
    {%- for image in ['`before`', '`after`'] %}
    if({{ image }} is null, null, map_concat({{ image }}, map({{ sql_string(table.shard) }}, {{ name }}))) as {{ image }},
    {%- endfor %}
    {%- endif %}
    {{ name if table.shards else "''" }} as shard
from (
{{ events }}
)
where feed in ({{ sql_strings(table.feeds) | join(', ') }})
    {%- if table.shards %}
    and {{ name }} rlike {{ sql_string('^(?:' ~ table.shards ~ ')\\z') }}
    {%- else %}
    and database_name <=> {{ sql_string(table.get('database')) }}
    and schema_name <=> {{ sql_string(table.get('schema')) }}
    and table_name <=> {{ sql_string(table.table) }}
    {%- endif %}
{%- endmacro %}
