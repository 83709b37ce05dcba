{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('ogg_json_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'ogg_json'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_ogg_json('messages', ref('operation_codes'), ref('feeds')) }})
