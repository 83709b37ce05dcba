{{ config(materialized='view') }}

{#- the formats in use stand in this seed -#}
{%- set feeds = ref('feeds') -%}
with parsed as (
    select
        feed,
        format,
        kafka_topic,
        max(newest_committed_at) as newest_committed_at,
        max(newest_kafka_timestamp) as newest_kafka_timestamp,
        max(last_landed_at) as newest_landed_at,
        timestamp_millis(max(last_batch)) as newest_built_at
    from {{ ref('message_counts_by_day') }}
    group by feed, format, kafka_topic
),

-- Spark lists the partitions of these days alone
landed as (
    {% for format in formats_in_use() %}
    select
        feed,
        '{{ format }}' as format,
        kafka_topic,
        landed_at
    from {{ source('bronze', format) }}
    where landed_date >= date_sub(current_date(), 7)
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

-- a run parses whole batches of landing, in their order
unbuilt as (
    select
        landed.feed,
        landed.format,
        landed.kafka_topic,
        count(*) as unbuilt_messages,
        min(landed.landed_at) as unbuilt_since
    from landed
    left join parsed
        on landed.feed = parsed.feed and landed.format = parsed.format and landed.kafka_topic = parsed.kafka_topic
    where coalesce(landed.landed_at > parsed.newest_landed_at, true)
    group by landed.feed, landed.format, landed.kafka_topic
),

topics as (
    select *
    from parsed
    full outer join unbuilt using (feed, format, kafka_topic)
)

-- a feed of which nothing has come has a row too
select
    feed,
    coalesce(topics.format, feeds.format) as format,
    kafka_topic,
    newest_committed_at,
    newest_kafka_timestamp,
    newest_landed_at,
    newest_built_at,
    coalesce(unbuilt_messages, 0) as unbuilt_messages,
    unbuilt_since
from topics
full outer join {{ feeds }} as feeds using (feed)
