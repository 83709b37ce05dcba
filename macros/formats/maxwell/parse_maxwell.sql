{% macro parse_maxwell(messages, operations) %}
with envelope as (
    {{ json_envelope(
        messages,
        "type: string, `database`: string, `table`: string, ts: string, xid: string, xoffset: string, `commit`: string,
        position: string, gtid: string, push_ts: string, primary_key_columns: array<string>,
        data: map<string, string>, old: map<string, string>, def: string, sql: string, encrypted: string",
        bare_decimals='documents',
        strict=true
    ) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        message.*,
        timestamp_micros(cast(try_cast(message.push_ts as decimal(16, 6)) * 1000000 as bigint)) as pushed_at,
        cast(key as string) as kafka_key,
        json_object_keys(cast(key as string)) as key_fields
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, 'maxwell', 'lower(type)', 'sql') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            when event_type = 'control' then 'control'
        end as no_event,
        {{ first_reject([
            ('encrypted', "'the message is encrypted: have Maxwell send it with encrypt=none'", "encrypted is not null"),
            ('missing_field', "'type is missing'", "type is null"),
            non_scalar_names(['`table`', '`database`']),
            ('unknown_operation', "concat('type is ', type)", "code is null"),
            ('missing_field', "'table is missing'", needs_table() ~ " and " ~ non_blank('`table`') ~ " is null"),
            ('missing_field', "'data holds no columns'", "event_type = 'row' and " ~ has_no_columns('data')),
            not_an_epoch('ts'),
            ('wrong_type', "concat('push_ts is ', push_ts)", non_blank('push_ts') ~ " is not null and pushed_at is null"),
        ]) }} as reject
    from coded
),

rows as (
    select
        *,
        -- `old` has only what changed, and is missing if nothing did
        if(operation = 'update' and old is not null, map_concat(data, old), data) as row_before,
        {{ _maxwell_key_names('kafka_key', 'key_fields') }} as key_names,
        case when event_type = 'schema' then {{ _maxwell_defined_columns('def') }} end as defined_columns
    from classified
)

select
    {{ event_head('maxwell') }},
    cast(null as string) as source_name,
    'mysql' as source_type,
    {{ non_blank('`database`') }} as database_name,
    cast(null as string) as schema_name,
    {{ non_blank('`table`') }} as table_name,
    case
        when event_type = 'schema' then {{ _maxwell_defined_key('def') }}
        when event_type = 'row' and primary_key_columns is not null then primary_key_columns
        -- Kafka's key has the names in lower case, and those from before `output_naming_strategy`
        when event_type = 'row' and size(array_except(key_names, map_keys(data))) = 0 then key_names
    end as key_columns,
    case when operation in ('update', 'delete') then row_before end as `before`,
    case
        when operation = 'delete' then null
        -- without `output_nulls`, a column that became NULL is only in `old`
        when operation = 'update' and size(row_before) > size(data)
            then map_concat(map_from_arrays(map_keys(old), array_repeat(cast(null as string), size(old))), data)
        when event_type = 'row' then data
    end as `after`,
    case when event_type = 'row' then false end as is_partial,
    {{ types_of_columns('defined_columns', in_order=true) }} as column_types,
    {{ epoch_timestamp('ts') }} as committed_at,
    pushed_at as captured_at,
    {{ non_blank('position') }} as source_position,
    coalesce({{ non_blank('gtid') }}, {{ non_blank('xid') }}) as transaction_id,
    case when event_type != 'row' then {{ non_blank('sql') }} end as ddl,
    {{ event_tail(message_number=_maxwell_number()) }}
from rows
{% endmacro %}
