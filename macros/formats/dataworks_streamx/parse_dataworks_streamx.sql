{% macro parse_dataworks_streamx(messages, operations, waits='true') %}
with envelope as (
    {{ json_envelope(
        messages,
        "schema: struct<dataColumn: string, primaryKey: array<string>,
        source: struct<dbType: string, dbName: string, schemaName: string, tableName: string>>,
        payload: struct<`before`: struct<dataColumn: map<string, string>>, `after`: struct<dataColumn: map<string, string>>,
        sequenceId: string, scn: string, op: string,
        `timestamp`: struct<eventTime: string, systemTime: string>, ddl: struct<text: string>>",
        bare_decimals='seldom',
        strict=true,
        carried=[('may_be_half', _dataworks_streamx_may_be_half('json'))]
    ) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        may_be_half,
        message.schema.dataColumn as columns,
        message.schema.primaryKey as primary_key,
        {{ source_type('message.schema.source.dbType') }} as source_type,
        {{ non_blank('message.schema.source.dbName') }} as database_name,
        {{ non_blank('message.schema.source.schemaName') }} as schema_name,
        {{ non_blank('message.schema.source.tableName') }} as table_name,
        message.payload.op,
        if(size(message.payload.`before`.dataColumn) > 0, message.payload.`before`.dataColumn, null) as row_before,
        if(size(message.payload.`after`.dataColumn) > 0, message.payload.`after`.dataColumn, null) as row_after,
        {{ non_blank('message.payload.sequenceId') }} as sequence_id,
        {{ non_blank('message.payload.scn') }} as scn,
        {{ integer_text('message.payload.`timestamp`.eventTime') }} as event_time,
        {{ integer_text('message.payload.`timestamp`.systemTime') }} as system_time,
        {{ non_blank('message.payload.ddl.text') }} as statement
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, 'dataworks_streamx', 'op', 'statement') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            when event_type = 'control' then 'control'
        end as no_event,
        {{ first_reject([
            ('missing_field', "'op is missing'", "op is null"),
            non_scalar_names(['table_name', 'schema_name', 'database_name'], lists=['primary_key']),
            holds_a_null('primaryKey', 'primary_key'),
            ('unknown_operation', "concat('op is ', op)", "code is null"),
            ('missing_field', "'tableName is missing'", needs_table() ~ " and table_name is null"),
            ('missing_field', "'ddl.text is missing'", "operation = 'other' and " ~ is_blank('statement')),
            ('missing_field', "'before holds no columns'",
                "row_before is null and (operation = 'delete' or code like 'UPDATE_BEFOR%')"),
            ('missing_field', "'after holds no columns'", "row_after is null and (operation = 'insert' or code = 'UPDATE_AFTER')"),
            ('missing_field', "'sequenceId is missing, by which the other half of the update is known'",
                "operation = 'update' and (row_before is null or row_after is null) and sequence_id is null"),
            not_an_epoch('eventTime', 'event_time'),
            not_an_epoch('systemTime', 'system_time'),
        ]) }} as reject
    from coded
),

paired as (
    {{ _dataworks_streamx_pairs('classified') }}
),

ended as (
    select
        * except (event_type, operation, reject, no_event),
        -- the second half becomes the event, the first one is counted with it
        if(is_first_half, null, event_type) as event_type,
        if(is_first_half, null, operation) as operation,
        if(half is not null and not is_joined and {{ waits }}, 'waiting', no_event) as no_event,
        if(
            half = 'before' and not is_joined and not {{ waits }},
            named_struct('reason', 'missing_half', 'detail', concat('UPDATE_AFTER of sequenceId ', sequence_id, ' did not come')),
            reject
        ) as reject
    from paired
)

select
    {{ event_head('dataworks_streamx') }},
    cast(null as string) as source_name,
    source_type,
    database_name,
    schema_name,
    table_name,
    case when event_type = 'row' then {{ _dataworks_streamx_key() }} end as key_columns,
    case when operation in ('update', 'delete') then row_before end as `before`,
    case when operation in ('insert', 'update') then row_after end as `after`,
    case when event_type = 'row' then false end as is_partial,
    case when event_type = 'row' then {{ types_of_columns('columns') }} end as column_types,
    {{ epoch_timestamp('event_time') }} as committed_at,
    {{ epoch_timestamp('system_time') }} as captured_at,
    nullif(concat_ws(':', sequence_id, scn), '') as source_position,
    cast(null as string) as transaction_id,
    case when event_type != 'row' then statement end as ddl,
    {{ event_tail() }}
from ended
{% endmacro %}
