{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('drs_avro_messages') }}{% endif %}

with messages as (
    select *
    from {{ source('bronze', 'drs_avro') }}
    where {{ unread_messages(this, again="outcome = 'rejected'" if var('changelake_retry_rejects', false) else '') if is_incremental() else 'true' }}
)

select
    *,
    {{ next_batch(this if is_incremental() else none) }} as parse_batch
from ({{ parse_drs_avro('messages', ref('operation_codes'), ref('drs_types'), ref('jdbc_types')) }})
