{% macro parse_debezium(messages, operations, format='debezium') %}
{%- set is_avro = format == 'debezium_avro' -%}
{#- as ExtractNewRecordState sends one in its default mode: no tombstone, which has no such header -#}
{%- set is_deletion = "(is_tombstone and coalesce(array_contains(headers.key, '__op'), false))" -%}
with envelope as (
    {{ _debezium_envelope(messages, carried=[('avro_types', 'told_types'), ('avro_reject', 'undecoded')] if is_avro else []) }}
),

parts as (
    -- no field stands twice: Spark compiles no step of more than a hundred, nested ones counted
    select
        * except (message, flat, wrapped, flat_key, wrapped_key, is_tombstone{% if is_avro %}, unreadable{% endif %}),
        is_tombstone and not {{ is_deletion }} as is_tombstone,
        {%- if is_avro %}
        coalesce(avro_reject.reason, unreadable) as unreadable,
        {%- endif %}
        message.payload,
        message.schema.fields as schema_fields,
        coalesce(wrapped_key.payload, flat_key) as key_values,
        case
            -- a row that is flattened to nothing: what is left of it is the key
            when {{ is_deletion }}
                then coalesce(wrapped_key.payload, flat_key, cast(map() as map<string, string>))
            -- a row with columns named schema and payload is no wrapping
            when wrapped.payload is not null and (flat is null or size(flat) = 2) then wrapped.payload
            else flat
        end as flat_row
    from envelope
),

shaped as (
    select
        * except (flat_fields),
        {{ _debezium_shape() }} as shape
    from (
        select
            *,
            array_join(map_keys(flat_row), ',') as flat_fields,
            {{ _debezium_added() }} as added
        from parts
    )
),

told as (
    select
        * except (flat_row),
        case shape
            when 'change' then payload.op
            when 'schema' then 'ddl'
            when 'transaction' then payload.status
            when 'heartbeat' then 'heartbeat'
            when 'flattened' then case coalesce(added['__deleted'], 'false')
                when 'true' then 'd'
                when 'false' then coalesce(added['__op'], 'upsert')
                else concat('__deleted ', added['__deleted'])
            end
        end as op,
        -- with the metadata of a flattened row still in it
        if(shape = 'flattened', flat_row, payload.after) as image,
        if(shape = 'flattened', {{ _debezium_flat_table() }}, {{ non_blank('payload.source.`table`') }}) as table_name
    from shaped
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
        (operation = 'update' or (operation = 'insert' and array_contains(headers.key, '__debezium.oldkey')))
        and {{ _debezium_holds_unavailable('image') }} as lacks_values,
        -- before Debezium 2.4 the DROP of a snapshot, which is none, names no table
        {{ first_reject([
            ('not_a_json_object', "'the value is no JSON object'", "payload is null and added is null"),
            ('unknown_shape', "'neither an envelope, nor a flattened row with a key or metadata'", "shape is null"),
            ('wrong_type', "'before, after, source or another object of the envelope is none'",
                "mistyped and shape in ('change', 'schema')"),
            ('missing_field', "'op is missing'", "op is null"),
            non_scalar_names(['table_name']),
            ('unknown_operation', "concat('op is ', op)", "code is null or " ~ _debezium_is_inner_code()),
            ('missing_field', "'the table is missing'", needs_table() ~ " and table_name is null
                and not (event_type = 'schema' and coalesce(payload.source.snapshot != 'false', false))"),
            ('missing_field', "'after holds no row'",
                "event_type = 'row' and operation != 'delete' and " ~ _debezium_is_empty('image')),
            ('missing_field', "'neither before nor the key tells the deleted row'",
                "operation = 'delete' and " ~ _debezium_is_empty('image') ~ "
                and coalesce(size(payload.before), 0) < 1 and coalesce(size(key_values), 0) < 1"),
            ('wrong_type', "concat('source.ts_ms is ', payload.source.ts_ms)",
                "shape = 'change' and payload.source.ts_ms is not null
                and not coalesce(
                    try_cast(payload.source.ts_ms as bigint) between -62135596800000 and 253402300799999, false
                )"),
        ], unreadable_detail="coalesce(avro_reject.detail, 'the record has more than 1,000 levels')" if is_avro else none) }} as reject
    from coded
),

rows as (
    {{ _debezium_rows('classified', column_types='avro_types' if is_avro else _debezium_column_types()) }}
)

select
    {{ event_head(format, row_index='row_index', operation=_debezium_operation()) }},
    {{ _debezium_source('name') }} as source_name,
    lower({{ _debezium_source('connector') }}) as source_type,
    coalesce({{ _debezium_source('db') }}, case when shape = 'schema' then {{ non_blank('payload.databaseName') }} end) as database_name,
    coalesce({{ _debezium_source('schema') }}, case when shape = 'schema' then {{ non_blank('payload.schemaName') }} end) as schema_name,
    -- "database"."schema"."table"
    coalesce(
        replace(regexp_extract(change_id, r'(?:^|\.)"((?:[^"]|"")++)"\z', 1), '""', '"'), table_name
    ) as table_name,
    case
        when event_type = 'row' and key_values is not null then map_keys(key_values)
        -- Debezium itself, which says so of a table without a key
        when event_type = 'row' and key is null and shape = 'change' and payload.source.version is not null then array()
    end as key_columns,
    case
        when shape = 'flattened' then if(operation = 'delete', known, null)
        when operation in ('update', 'delete') and size(payload.before) > 0 then coalesce(known_before, payload.before)
        -- some have the deleted row on the other side
        when operation = 'delete' then if(size(payload.after) > 0, payload.after, key_values)
    end as `before`,
    case when event_type = 'row' and operation != 'delete' then coalesce(known, payload.after) end as `after`,
    case when event_type = 'row' then coalesce(lacks_values, false) end as is_partial,
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

{# What happened: of DDL, what the history of the schema says where the statement itself does not tell. #}
{% macro _debezium_operation() -%}
case
        when event_type = 'schema'
            then coalesce(nullif(
                coalesce(nullif(operation, 'other'), lower(change_type)),
                -- a snapshot says the end of each table first, which the source has not seen
                if(payload.source.snapshot != 'false', 'drop', null)
            ), 'other')
        else operation
    end
{%- endmacro %}
