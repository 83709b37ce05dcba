{#
    The events of one source table, or of all shards that are declared as one. The images of a shard
    hold its name besides, under the name of the column that `shard` of the meta declares.

    Arguments:
        events (string): a select of the events, a model's SQL.
        table (dictionary): the meta of the current model: feeds, and table with database and schema
            where it has them, or shards, a regular expression that all of DATABASE[.SCHEMA].TABLE
            has to match.

    Returns: a select of the columns of `events` and shard (string): the shard's name, empty where
    the table has none. A row of a full load whose position cannot be compared with those of the changes
    behind it has none, so that it comes before all of them; see format_traits().
#}
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
