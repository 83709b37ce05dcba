{% macro uncounted_tables(events, since) -%}
select distinct
    feed,
    database_name,
    schema_name,
    table_name
from {{ events }}
where event_type = 'row'
    and operation = 'update'
    and (`before` is null or is_partial or size(`before`) < size(`after`))
    and parse_batch > {{ since }}
{%- endmacro %}
