{{ config(materialized='view') }}

with parsed as (
    select
        feed,
        format,
        kafka_topic,
        max(newest_committed_at) as newest_committed_at,
        max(newest_kafka_timestamp) as newest_kafka_timestamp,
        max(last_landed_at) as newest_landed_at,
        timestamp_millis(max(last_batch)) as newest_parsed_at
    from {{ ref('message_counts_by_day') }}
    group by feed, format, kafka_topic
),

-- A run parses everything that has landed in a format: unparsed messages are not older than parsed
-- ones, except when a landing lasted into the next day.
parsed_days as (
    select
        format,
        date_sub(date(max(newest_landed_at)), 1) as last_day
    from parsed
    group by format
),

landed as (
    {% call(format) of_each_format() -%}
    select
        feed,
        '{{ format }}' as format,
        kafka_topic,
        landed_at
    from {{ source('bronze', format) }}
    -- so that Spark reads the files of these days only
    where landed_date >= coalesce((select last_day from parsed_days where format = '{{ format }}'), date'0001-01-01')
    {%- endcall %}
),

-- runs parse whole landing batches, in their order
unparsed as (
    select
        landed.feed,
        landed.format,
        landed.kafka_topic,
        count(*) as unparsed_messages,
        min(landed.landed_at) as unparsed_since
    from landed
    left join parsed
        on landed.feed = parsed.feed and landed.format = parsed.format and landed.kafka_topic = parsed.kafka_topic
    where coalesce(landed.landed_at > parsed.newest_landed_at, true)
    group by landed.feed, landed.format, landed.kafka_topic
),

topics as (
    select *
    from parsed
    full outer join unparsed using (feed, format, kafka_topic)
)

-- a feed without messages has a row too
select
    feed,
    coalesce(topics.format, feeds.format) as format,
    kafka_topic,
    newest_committed_at,
    newest_kafka_timestamp,
    newest_landed_at,
    newest_parsed_at,
    coalesce(unparsed_messages, 0) as unparsed_messages,
    unparsed_since
from topics
full outer join {{ ref('feeds') }} as feeds using (feed)
