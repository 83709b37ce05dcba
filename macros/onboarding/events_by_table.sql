{% macro events_by_table(events, condition) -%}
select
    feed,
    database_name,
    schema_name,
    table_name,
    max(parse_batch) as batch,
    -- without a statement, a message tells that a table has changed, but not how
    -- as text, since a Thrift server does not escape quotes in the texts of a list
    to_json(
        collect_list(struct(
            kafka_topic, kafka_partition, kafka_offset, row_index, ddl, parse_batch,
            coalesce(source_position, cast(committed_at as string)) as moment
        -- Canal names an alter after its first clause, which may concern an index
        )) filter (where event_type = 'schema' and operation in ('alter', 'rename', 'index') and ddl is not null),
        map('ignoreNullFields', 'false')
    ) as alters
from {{ events }}
where outcome = 'events'
    and {{ condition }}
group by feed, database_name, schema_name, table_name
{%- endmacro %}
