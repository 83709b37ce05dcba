{% macro uncounted_tables(events, since) -%}
select
    feed,
    database_name,
    schema_name,
    table_name
from {{ events }}
where event_type = 'row'
    and parse_batch > {{ since }}
group by feed, database_name, schema_name, table_name
-- a partial image can have the whole row before beside it, as SharePlex's: other rows say how many columns there are
having
    bool_or(operation = 'update' and (`before` is null or size(`before`) < size(`after`)))
    or min(size(`before`)) filter (where operation = 'update' and is_partial)
        < max(greatest(coalesce(size(`before`), 0), coalesce(size(`after`), 0)))
{%- endmacro %}
