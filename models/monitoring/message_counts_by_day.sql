{{ config(
    materialized='incremental',
    incremental_strategy='insert_overwrite',
    partition_by='landed_date',
) }}

-- The days that the newest batches touch are counted anew, whole: then a run that is repeated, or
-- parses rejects again, changes nothing but the outcome.
with touched as (
    {% for format in formats() %}
    select distinct landed_date
    from {{ ref(format ~ '_events') }}
    {% if is_incremental() -%}
    where parse_batch > coalesce((select max(last_batch) from {{ this }} where format = '{{ format }}'), 0)
    {%- endif %}
    {% if not loop.last %}union{% endif %}
    {% endfor %}
)

{% for format in formats() %}
select
    feed,
    format,
    kafka_topic,
    kafka_partition,
    outcome,
    count(distinct kafka_offset) as messages,
    max(landed_at) as last_landed_at,
    max(parse_batch) as last_batch,
    landed_date
from {{ ref(format ~ '_events') }}
where landed_date in (select touched.landed_date from touched)
group by feed, format, kafka_topic, kafka_partition, outcome, landed_date
{% if not loop.last %}union all{% endif %}
{% endfor %}
