{#
    Whether a message is a change, a schema change, a transaction's mark, a heartbeat or a
    flattened row; null if none. A column `source`, `op` or `before` makes no envelope: there
    `source` is an object with fields of its own, or `op` stands beside an object as image.
#}
{% macro _debezium_shape() -%}
case
            when coalesce(
                payload.source.connector, payload.source.`table`, payload.source.db, payload.source.ts_ms
            ) is not null then if(
                coalesce(payload.op, 'a') = 'a'
                and coalesce(payload.ddl, payload.tableChanges, payload.databaseName) is not null,
                'schema', 'change'
            )
            when coalesce(payload.before, payload.after) is not null and (
                payload.op is not null or {{ fields_are_of(
                    'flat_fields', ['before', 'after', 'source', 'op', 'ts_ms', 'ts_us', 'ts_ns', 'transaction']
                ) }}
            ) then 'change'
            when map_contains_key(flat_row, 'data_collections') and {{ fields_are_of(
                'flat_fields', ['status', 'id', 'event_count', 'data_collections', 'ts_ms']
            ) }} then 'transaction'
            when {{ fields_are_of('flat_fields', ['ts_ms', 'ts_us', 'ts_ns']) }}
                and not coalesce(map_contains_key(key_values, 'ts_ms'), false) then 'heartbeat'
            -- a CloudEvent, whose fields may have the names of key columns
            when flat_row['specversion'] is not null
                and (flat_row['iodebeziumop'] is not null or startswith(flat_row['type'], 'io.debezium.')) then null
            -- a flattened row has the columns of its key, or metadata fields
            when size(array_except(map_keys(key_values), map_keys(flat_row))) = 0 then 'flattened'
            when coalesce(
                added['__deleted'], added['__op'], added['__table'], added['__source_table']
            ) is not null then 'flattened'
        end
{%- endmacro %}

{# Whether a row's op is one of the longer codes, which the parser and transactions use. #}
{% macro _debezium_is_inner_code() -%}
(length(op) > 1 and (shape = 'change' or (shape = 'flattened' and op != 'upsert')))
{%- endmacro %}
