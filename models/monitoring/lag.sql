{{ config(materialized='view') }}

{%- set steps = {
    'commit_to_kafka': ['committed_at', 'kafka_timestamp'],
    'kafka_to_landed': ['kafka_timestamp', 'landed_at'],
    'landed_to_parsed': ['landed_at', 'parsed_at'],
    'commit_to_parsed': ['committed_at', 'parsed_at'],
} -%}
with messages as (
    {% call(format) of_each_format() -%}
    select
        feed,
        '{{ format }}' as format,
        kafka_topic,
        -- a full load sends old rows, whose age is no lag
        case when operation is distinct from 'snapshot' then committed_at end as committed_at,
        kafka_timestamp,
        landed_at,
        timestamp_millis(parse_batch) as parsed_at
    from {{ ref(format ~ '_events') }}
    where outcome = 'events'
        and row_index = 0
        -- so that Spark lists the partitions of these days only
        and landed_date >= date_sub(current_date(), 1)
        and landed_at >= current_timestamp() - interval 24 hours
    {%- endcall %}
),

steps as (
    select
        feed,
        format,
        kafka_topic,
        step,
        seconds
    from messages
    lateral view stack(
        {{ steps | length }},
        {%- for step, (begin, end) in steps.items() %}
        '{{ step }}', (unix_micros({{ end }}) - unix_micros({{ begin }})) / 1e6{{ ',' if not loop.last }}
        {%- endfor %}
    ) as step, seconds
    where seconds is not null
)

select
    feed,
    format,
    kafka_topic,
    step,
    count(*) as messages,
    percentile_approx(seconds, 0.5) as median_seconds,
    percentile_approx(seconds, 0.99) as p99_seconds
from steps
group by feed, format, kafka_topic, step
