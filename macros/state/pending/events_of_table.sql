{#
    The events of one source table, or of all shards that are declared as one. The images of a shard
    hold its name besides, under the name of the column that `shard` of the meta declares.

    Arguments:
        events (string): a select of the events, a model's SQL.
        table (dictionary): the meta of the current model: feeds, and table with database and schema
            where it has them, or shards, a regular expression that all of DATABASE[.SCHEMA].TABLE
            has to match.

    Returns: a select of the columns of `events` and shard (string): the shard's name, empty where
    the table has none. A row of DRS's full load has no source_position: its `eventId` is a place in
    the binlog, and the changes behind it may have numbers of DRS's own, so that the two would be
    compared with each other; without one it comes before all of them.
#}
{% macro events_of_table(events, table) -%}
{%- set name = "concat_ws('.', database_name, schema_name, table_name)" -%}
select
    {%- if table.shards %}
    * except (`before`, `after`, source_position),
    {%- for image in ['`before`', '`after`'] %}
    if({{ image }} is null, null, map_concat({{ image }}, map({{ sql_string(table.shard) }}, {{ name }}))) as {{ image }},
    {%- endfor %}
    {{ name }} as shard,
    {%- else %}
    * except (source_position),
    '' as shard,
    {%- endif %}
    if(operation = 'snapshot' and format in ('drs_json', 'drs_json_c', 'drs_avro'), null, source_position) as source_position
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
