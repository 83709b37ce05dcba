{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('maxwell_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'maxwell'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_maxwell('messages', ref('operation_codes')) }})
