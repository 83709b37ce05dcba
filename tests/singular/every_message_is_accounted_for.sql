{%- set counts = ref('message_counts_by_day') -%}
{%- set counted = run_query('select distinct format from ' ~ counts).columns[0].values() | list if execute else formats() -%}
{%- set parsed_now = [] -%}
{%- for format in formats() if 'model.changelake.' ~ format ~ '_events' in selected_resources -%}
{%- do parsed_now.append(format) -%}
{%- endfor -%}
-- Rule 1: every message that bronze holds, up to where parsing has come, stands in one outcome.
-- A micro-batch of a feed is landed and parsed as a whole, so what landed until the newest parsed
-- message of its feed has to be there. So has what was written clearly before its format was last
-- parsed, of whatever feed: landing goes on beside the build, and a batch takes its time between its
-- files and its commit. The days are those that the newest batches touched, and the last two; the
-- others were compared when they were touched.
with newest as (
    select
        format,
        max(last_batch) as last_batch
    from {{ counts }}
    group by format
),

days as (
    select distinct counts.landed_date
    from {{ counts }} as counts
    inner join newest on counts.format = newest.format and counts.last_batch = newest.last_batch
    union
    select date_sub(max(landed_date), 1) as landed_date
    from {{ counts }}
    union
    -- where a format has lost all that it has, no count names a day
    select explode(array(date'{{ run_started_at.date() }}', date_sub(date'{{ run_started_at.date() }}', 1))) as landed_date
),

landed as (
    -- the others have no message that was parsed
    {% for format in (counted + parsed_now) | unique | list or formats()[:1] %}
    select
        '{{ format }}' as format,
        feed,
        kafka_topic,
        kafka_partition,
        landed_date,
        landed_at,
        -- a batch that a kill made run twice keeps its landing time, its files have their own
        _metadata.file_modification_time as written_at
    from {{ source('bronze', format) }}
    where landed_date in (select days.landed_date from days)
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
),

parsed_to as (
    select
        format,
        feed,
        max(last_landed_at) as last_landed_at
    from {{ counts }}
    group by format, feed
),

-- a batch's number is the time at which its parsing began
parsed as (
    select
        format,
        max(timestamp_millis(last_batch)) as parsed_at
    from (
        select
            format,
            last_batch
        from newest
        {% for format in parsed_now -%}
        union all
        select '{{ format }}', {{ (run_started_at.timestamp() * 1000) | int }}
        {% endfor %}
    )
    group by format
),

expected as (
    select
        landed.format,
        landed.kafka_topic,
        landed.kafka_partition,
        landed.landed_date,
        count(*) as messages
    from landed
    left join parsed_to on landed.format = parsed_to.format and landed.feed = parsed_to.feed
    left join parsed on landed.format = parsed.format
    where landed.landed_at <= parsed_to.last_landed_at
        or landed.written_at < parsed.parsed_at - interval 1 hour
    group by landed.format, landed.kafka_topic, landed.kafka_partition, landed.landed_date
),

counted as (
    select
        format,
        kafka_topic,
        kafka_partition,
        landed_date,
        sum(messages) as messages
    from {{ counts }}
    where landed_date in (select days.landed_date from days)
    group by format, kafka_topic, kafka_partition, landed_date
)

select
    coalesce(expected.format, counted.format) as format,
    coalesce(expected.kafka_topic, counted.kafka_topic) as kafka_topic,
    coalesce(expected.kafka_partition, counted.kafka_partition) as kafka_partition,
    coalesce(expected.landed_date, counted.landed_date) as landed_date,
    expected.messages as landed_messages,
    counted.messages as counted_messages
from expected
full outer join counted
    on expected.format = counted.format
    and expected.kafka_topic = counted.kafka_topic
    and expected.kafka_partition = counted.kafka_partition
    and expected.landed_date = counted.landed_date
where coalesce(expected.messages, 0) != coalesce(counted.messages, 0)
