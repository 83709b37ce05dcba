{{ config(materialized='view') }}

select
    feed,
    format,
    kafka_topic,
    kafka_partition,
    outcome,
    sum(messages) as messages
from {{ ref('message_counts_by_day') }}
group by feed, format, kafka_topic, kafka_partition, outcome
