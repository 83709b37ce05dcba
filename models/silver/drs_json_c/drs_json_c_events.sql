{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('drs_json_c_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'drs_json_c'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_drs_json_c('messages', ref('operation_codes')) }})
