{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('drs_avro_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'drs_avro'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_drs_avro('messages', ref('operation_codes'), ref('drs_types'), ref('jdbc_types')) }})
