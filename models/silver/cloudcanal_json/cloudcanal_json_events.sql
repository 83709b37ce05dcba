{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('cloudcanal_json_messages') }}{% endif %}

with messages as (
    select *
    from {{ source('bronze', 'cloudcanal_json') }}
    where {{ unread_messages(this, again="outcome = 'rejected'" if var('changelake_retry_rejects', false) else '') if is_incremental() else 'true' }}
)

select
    *,
    {{ next_batch(this if is_incremental() else none) }} as parse_batch
from ({{ parse_cloudcanal_json('messages', ref('operation_codes')) }})
