-- halves of updates that wait for the other one are read again at each run, and their rows give way
-- to what became of them: in a partition of their own they are found without a search
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

{%- set again = "outcome in ('waiting', 'rejected')" if var('changelake_retry_rejects', false) else "outcome = 'waiting'" %}
{%- set range = unread_range(source('bronze', 'dataworks_streamx'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range, again=again) }}
)

select
    *,
    {{ range.batch }} as parse_batch,
    cast({{ range.version if range.version is not none else 'null' }} as bigint) as bronze_version
from ({{ parse_dataworks_streamx(
    'messages', ref('operation_codes'), waits=recently_landed(this) if is_incremental() else 'true'
) }})
