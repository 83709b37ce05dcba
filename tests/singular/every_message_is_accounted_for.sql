{#- the formats in use stand in this seed -#}
{%- do ref('feeds') -%}
{%- set counts = ref('message_counts_by_day') -%}
{%- set read_to = {} -%}
{%- set days = [] -%}
{%- if execute -%}
{%- for format, version, touched in run_query("
    select
        format,
        max(version),
        concat_ws(',', max_by(days, batch), max(landed_date), date_sub(max(landed_date), 1))
    from (
        select
            format,
            last_batch as batch,
            max(bronze_version) as version,
            collect_set(cast(landed_date as string)) as days,
            max(landed_date) as landed_date
        from " ~ counts ~ "
        where format in (" ~ sql_strings(built_formats()) | join(', ') ~ ")
        group by format, last_batch
    )
    group by format
").rows -%}
{%- do read_to.update({format: version}) -%}
{%- do days.extend(touched.split(',')) -%}
{%- endfor -%}
{#- where a format has lost all that it has, no count names a day -#}
{%- do days.extend([run_started_at.date(), run_started_at.date() - modules.datetime.timedelta(1)]) -%}
{%- endif -%}
{%- for format in selected_formats() if format not in read_to -%}
{%- do read_to.update({format: none}) -%}
{%- endfor -%}
{%- set inexact = read_to.items() | selectattr(1, 'none') | map(attribute=0) | list -%}
{%- set landed_dates -%}
({% for day in days | map('string') | unique | sort %}date'{{ day }}'{% if not loop.last %}, {% endif %}{% else %}null{% endfor %})
{%- endset -%}
-- Rule 1: every message that bronze holds, up to the version that parsing has read, stands in one
-- outcome, once. Where no event says that version, a format has lost all that it has, or its events are of
-- an earlier version of the project: then at least what was written an hour ago has to be there. The days
-- are those that the newest batches touched, and the last two; the others were compared when they were
-- touched. So were the formats whose events this run leaves alone.
with messages as (
    {% for format, version in read_to.items() %}
    select
        '{{ format }}' as format,
        kafka_topic,
        kafka_partition,
        landed_date,
        count(*) as landed,
        -- those that were landed twice in a day; `unique_rows` sees what lies farther apart
        count(*) - count(distinct kafka_offset) as copies,
        0 as counted
    from {{ source('bronze', format) }}{{ ' version as of ' ~ version if version is not none }}
    where landed_date in {{ landed_dates }}
        {%- if version is none %}
        and _metadata.file_modification_time < timestamp_seconds({{ run_started_at.timestamp() | int }}) - interval 1 hour
        {%- endif %}
    group by kafka_topic, kafka_partition, landed_date
    union all
    {% endfor %}
    select
        format,
        kafka_topic,
        kafka_partition,
        landed_date,
        0 as landed,
        0 as copies,
        messages as counted
    from {{ counts }}
    where landed_date in {{ landed_dates }}
        and format in ({{ sql_strings(read_to) | join(', ') or 'null' }})
)

select
    format,
    kafka_topic,
    kafka_partition,
    landed_date,
    sum(landed) as landed_messages,
    sum(counted) as counted_messages,
    sum(copies) as landed_twice
from messages
group by format, kafka_topic, kafka_partition, landed_date
having
    sum(copies) > 0
    or sum(landed) > sum(counted)
    or (sum(landed) < sum(counted){{ ' and format not in (' ~ sql_strings(inexact) | join(', ') ~ ')' if inexact }})
