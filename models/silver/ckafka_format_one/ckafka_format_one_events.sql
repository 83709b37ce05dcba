{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('ckafka_format_one_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'ckafka_format_one'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_ckafka_format_one('messages', ref('operation_codes'), ref('feeds')) }})
