{{ config(
    materialized='incremental',
    incremental_strategy='insert_overwrite',
    partition_by='landed_date',
) }}

-- A day's counts are counted anew as long as messages land on it: then a run that is repeated, or
-- parses rejects again, changes nothing but the outcome.
{% for format in formats() %}
select
    feed,
    format,
    kafka_topic,
    kafka_partition,
    outcome,
    count(distinct kafka_offset) as messages,
    max(landed_at) as last_landed_at,
    landed_date
from {{ ref(format ~ '_events') }}
{% if is_incremental() and not var('changelake_retry_rejects', false) -%}
where landed_date >= coalesce((select date_sub(max(landed_date), 1) from {{ this }}), date'0001-01-01')
{%- endif %}
group by feed, format, kafka_topic, kafka_partition, outcome, landed_date
{% if not loop.last %}union all{% endif %}
{% endfor %}
