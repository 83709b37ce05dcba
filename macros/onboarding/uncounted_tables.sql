{% macro uncounted_tables(events, since) -%}
select
    feed,
    database_name,
    schema_name,
    table_name,
    bool_or(`before` is null or size(`before`) < size(`after`)) as lacks_before,
    -- a partial image can come with the whole old row, as SharePlex's do
    min(size(`before`)) filter (where is_partial) as smallest_before
from {{ events }}
where event_type = 'row'
    and operation = 'update'
    and parse_batch > {{ since }}
group by feed, database_name, schema_name, table_name
{%- endmacro %}
