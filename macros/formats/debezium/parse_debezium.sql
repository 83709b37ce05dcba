{% macro parse_debezium(messages, operations, format='debezium') %}
{%- set is_avro = format == 'debezium_avro' -%}
with envelope as (
    {{ _debezium_envelope(messages, carried=[('avro_types', 'told_types'), ('avro_reject', 'undecoded')] if is_avro else []) }}
),

told as (
    {{ _debezium_told('envelope', is_avro) }}
),

coded as (
    {{ coded_events('told', operations, format, 'op', 'payload.ddl') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            when event_type = 'control' then 'control'
        end as no_event,
        -- false, not null, where there are no headers: a null would also leave such columns out
        coalesce(
            (
                (operation = 'update' or (operation = 'insert' and array_contains(headers.key, '__debezium.oldkey')))
                or (operation in ('insert', 'snapshot') and {{ _debezium_may_lack_blobs() }})
            )
            and ({{ _debezium_holds_unavailable('image') }} or {{ _debezium_is_of_changes() }}),
            false
        ) as lacks_values,
        {{ _debezium_reject(is_avro) }} as reject
    from coded
),

rows as (
    {{ _debezium_rows('classified', column_types='avro_types' if is_avro else _debezium_column_types()) }}
)

select
    {{ event_head(format, row_index='row_index', operation=_debezium_operation()) }},
    {{ _debezium_source('name') }} as source_name,
    lower({{ _debezium_source('connector') }}) as source_type,
    coalesce({{ _debezium_database() }}, case when shape = 'schema' then {{ non_blank('payload.databaseName') }} end) as database_name,
    coalesce({{ _debezium_source('schema') }}, case when shape = 'schema' then {{ non_blank('payload.schemaName') }} end) as schema_name,
    -- "database"."schema"."table"; a name that begins or ends with a quote stands there as it is
    coalesce(
        nullif(replace(regexp_extract(change_id, r'(?:^|\.)"((?:[^"]|"")++)"\z', 1), '""', '"'), ''), table_name
    ) as table_name,
    case
        when event_type = 'row' and key_values is not null then map_keys(key_values)
        -- from Debezium itself, which reports it for a table without a key; TiCDC had no keys before TiDB 8.5
        when event_type = 'row' and key is null and shape = 'change' and payload.source.version is not null
            and not (payload.source.connector <=> 'TiCDC') then array()
    end as key_columns,
    case
        when shape = 'flattened' then if(operation = 'delete', known, null)
        when operation in ('update', 'delete') and size(payload.before) > 0 then coalesce(known_before, payload.before)
        -- some producers have the deleted row on the other side
        when operation = 'delete' then if(size(payload.after) > 0, payload.after, key_values)
    end as `before`,
    case when event_type = 'row' and operation != 'delete' then coalesce(known, payload.after) end as `after`,
    case when event_type = 'row' then lacks_values end as is_partial,
    column_types,
    {{ most_exact_instant(
        "if(shape = 'transaction', payload.ts_ms, " ~ _debezium_source('ts_ms') ~ ")", _debezium_source('ts_us'), _debezium_source('ts_ns')
    ) }} as committed_at,
    {{ most_exact_instant(
        "if(shape = 'flattened', flat_source.sent_ms, payload.ts_ms)",
        "if(shape = 'flattened', flat_source.sent_us, payload.ts_us)",
        "if(shape = 'flattened', flat_source.sent_ns, payload.ts_ns)"
    ) }} as captured_at,
    {{ _debezium_position() }} as source_position,
    coalesce(
        case shape
            when 'transaction' then payload.id
            when 'flattened' then flat_source.transaction_id
            else payload.transaction.id
        end,
        {{ _debezium_source('txId') }},
        {{ _debezium_source('gtid') }}
    ) as transaction_id,
    case when event_type in ('schema', 'truncate') then {{ non_blank('payload.ddl') }} end as ddl,
    {{ event_tail() }}
from rows
{% endmacro %}

{# What happened; for DDL, by the schema history if the statement itself does not tell. #}
{% macro _debezium_operation() -%}
case
        when event_type = 'schema'
            then coalesce(nullif(
                coalesce(nullif(operation, 'other'), lower(change_type)),
                -- a snapshot announces a drop of each table, which did not happen at the source
                if(payload.source.snapshot != 'false', 'drop', null)
            ), 'other')
        else operation
    end
{%- endmacro %}
