{{ config(materialized='view') }}

select
    feed,
    format,
    source_name,
    database_name,
    schema_name,
    table_name,
    if(event_type = 'truncate', 'truncate', operation) as kind,
    ddl,
    committed_at,
    kafka_topic,
    kafka_partition,
    kafka_offset,
    row_index,
    row_number() over (
        partition by feed
        order by coalesce(committed_at, kafka_timestamp), kafka_topic, kafka_partition, kafka_offset, row_index
    ) as change_number
from {{ ref('change_events') }}
where event_type in ('schema', 'truncate')
