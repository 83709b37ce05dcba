{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('oceanbase_default_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'oceanbase_default'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_oceanbase_default('messages', ref('operation_codes')) }})
