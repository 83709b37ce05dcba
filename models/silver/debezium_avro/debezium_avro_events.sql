{{ config(materialized='incremental') }}
{% if target.name == 'sample' %}-- depends_on: {{ ref('debezium_avro_messages') }}, {{ ref('debezium_avro_schemas') }}{% endif %}
{%- set range = unread_range(source('bronze', 'debezium_avro'), this if is_incremental() else none) %}
{%- set schemas = registry_schemas(ref('debezium_avro_schemas') if target.name == 'sample' else source('bronze', 'registry_schemas')) %}

with messages as (
    {{ unread_messages(range, again=known_since(schemas)) }}
)

select
    *,
    {{ batch_columns(range) }}
from ({{ parse_debezium_avro('messages', ref('operation_codes'), schemas) }})
