{{ config(materialized='view') }}

with changes as (
    select
        *,
        -- within a partition, the order of messages decides: a later commit can be dated earlier
        max(struct({{ changed_at() }} as changed_at, captured_at)) over (
            partition by feed, kafka_topic, kafka_partition
            order by kafka_offset, row_index
        ) as reached_at
    from {{ ref('change_events') }}
    where event_type in ('schema', 'truncate')
)

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
        order by reached_at, kafka_topic, kafka_partition, kafka_offset, row_index
    ) as change_number
from changes
