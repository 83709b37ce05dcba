{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('ticdc_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'ticdc'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range, again="outcome = 'rejected'" if var('changelake_retry_rejects', false) else '') }}
)

select
    *,
    {{ range.batch }} as parse_batch,
    cast({{ range.version if range.version is not none else 'null' }} as bigint) as bronze_version
from ({{ parse_ticdc('messages', ref('operation_codes')) }})
