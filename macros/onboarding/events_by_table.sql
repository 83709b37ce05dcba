{% macro events_by_table(events, condition) -%}
select
    feed,
    database_name,
    schema_name,
    table_name,
    max(parse_batch) as batch,
    -- a message may say that a table has changed, and not how
    -- as a text, since a Thrift server writes quotes in a list's texts as they are
    to_json(
        collect_list(struct(
            kafka_topic, kafka_partition, kafka_offset, row_index, ddl, parse_batch,
            coalesce(source_position, cast(committed_at as string)) as moment
        -- Canal calls an alter after its first clause, which may be of an index
        )) filter (where event_type = 'schema' and operation in ('alter', 'rename', 'index') and ddl is not null),
        map('ignoreNullFields', 'false')
    ) as alters
from {{ events }}
where outcome = 'events'
    and {{ condition }}
group by feed, database_name, schema_name, table_name
{%- endmacro %}
