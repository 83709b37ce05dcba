{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('debezium_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'debezium'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_debezium('messages', ref('operation_codes')) }})
