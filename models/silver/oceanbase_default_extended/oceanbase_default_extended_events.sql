{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('oceanbase_default_extended_messages') }}{% endif %}
{%- set range = unread_range(source('bronze', 'oceanbase_default_extended'), this if is_incremental() else none) %}

with messages as (
    {{ unread_messages(range) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_oceanbase_default_extended('messages', ref('operation_codes')) }})
