-- Halves of updates that wait for the other one are read again in each run, and their rows are then
-- replaced: a partition of their own makes them quick to find.
{{ config(
    materialized='incremental',
    partition_by=['landed_date', 'outcome'],
    tblproperties={
        'delta.dataSkippingStatsColumns':
            'feed,kafka_topic,kafka_partition,kafka_offset,event_type,database_name,schema_name,table_name,parse_batch'
    },
    meta={'replaces': "outcome = 'waiting'"},
) }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('dataworks_streamx_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'dataworks_streamx'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range, again="outcome = 'waiting'") }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_dataworks_streamx(
    'messages', ref('operation_codes'), waits=recently_landed(this) if is_incremental() else 'true'
) }})
