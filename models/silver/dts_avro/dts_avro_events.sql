{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('dts_avro_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'dts_avro'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_dts_avro('messages', ref('operation_codes'), ref('dts_types')) }})
