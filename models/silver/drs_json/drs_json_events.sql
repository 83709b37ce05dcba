{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('drs_json_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'drs_json'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_drs_json('messages', ref('operation_codes')) }})
