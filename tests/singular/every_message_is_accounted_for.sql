{%- set counts = ref('message_counts_by_day') -%}
{%- set read_to = {} -%}
{%- if execute -%}
{%- do read_to.update(dict(run_query('select format, max(bronze_version) from ' ~ counts ~ ' group by format').rows | map('list'))) -%}
{%- endif -%}
{#- the formats in use stand in this seed -#}
{%- do ref('feeds') -%}
{%- for format in formats_in_use() if 'model.changelake.' ~ format ~ '_events' in selected_resources and format not in read_to -%}
{%- do read_to.update({format: none}) -%}
{%- endfor -%}
-- Rule 1: every message that bronze holds, up to the version that parsing has read, stands in one
-- outcome. Where no event says that version, a format has lost all that it has, or its events are of an
-- earlier version of the project: then at least what was written an hour ago has to be there. The days
-- are those that the newest batches touched, and the last two; the others were compared when they were
-- touched.
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

expected as (
    {% for format, version in (read_to or {formats()[0]: none}).items() %}
    select
        '{{ format }}' as format,
        kafka_topic,
        kafka_partition,
        landed_date,
        {{ 'false' if version is none else 'true' }} as is_exact,
        count(*) as messages
    from {{ source('bronze', format) }}{{ ' version as of ' ~ version if version is not none }}
    where landed_date in (select days.landed_date from days)
        {%- if version is none %}
        and _metadata.file_modification_time < timestamp_seconds({{ run_started_at.timestamp() | int }}) - interval 1 hour
        {%- endif %}
    group by kafka_topic, kafka_partition, landed_date
    {% if not loop.last %}union all{% endif %}
    {% endfor %}
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
where if(
    coalesce(expected.is_exact, true),
    coalesce(expected.messages, 0) != coalesce(counted.messages, 0),
    expected.messages > coalesce(counted.messages, 0)
)
