{%- set pending = pending_formats(this if is_incremental() else none) -%}
{%- set days = touched_days(pending) if is_incremental() else {} -%}
{{ config(
    materialized='incremental',
    incremental_strategy='insert_overwrite',
    partition_by=['format', 'landed_date'],
    on_schema_change='append_new_columns',
) }}

-- Days that the newest batches touch are recounted as a whole: so a repeated run, or one that
-- parses rejects again, changes nothing but the outcomes.
{% for format in pending %}
select
    feed,
    kafka_topic,
    kafka_partition,
    outcome,
    -- each message has exactly one first row, whatever its outcome
    count_if(row_index = 0) as messages,
    max(landed_at) as last_landed_at,
    max(parse_batch) as last_batch,
    max(bronze_version) as bronze_version,
    max(committed_at) as newest_committed_at,
    max(kafka_timestamp) as newest_kafka_timestamp,
    format,
    landed_date
from {{ ref(format ~ '_events') }}
{% if is_incremental() -%}
where landed_date in ({{ days[format] | join(', ') or 'null' }})
{% endif -%}
group by feed, kafka_topic, kafka_partition, outcome, format, landed_date
{% if not loop.last %}union all{% endif %}
{% endfor %}
