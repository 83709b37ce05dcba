{% macro oceanbase_struct_events(messages, operations, format, has_types=false) %}
with envelope as (
    {{ json_envelope(
        messages,
        "recordType: string, prevStruct: map<string, string>, postStruct: map<string, string>,
        allMetaData: struct<record_primary_key: string, dbType: string, db: string, table_name: string,
        `timestamp`: string, checkpoint: string, storeDataSequence: string, uniqueId: string>",
        bare_decimals='usually',
        strict=true
    ) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        {%- if has_types %}
        message.recordType,
        {{ without_entry('message.prevStruct', '__light_type') }} as prevStruct,
        {{ without_entry('message.postStruct', '__light_type') }} as postStruct,
        coalesce(message.postStruct['__light_type'], message.prevStruct['__light_type']) as light_type,
        {%- else %}
        message.*,
        {%- endif %}
        message.allMetaData.*,
        {{ source_type('message.allMetaData.dbType') }} as database_type,
        case
            when upper(message.recordType) = 'DDL'
                then coalesce(message.postStruct['ddl'], message.prevStruct['ddl'])
        end as statement
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, format, 'upper(recordType)', 'statement') }}
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        -- tenant.database of OceanBase; elsewhere a dot is part of the name
        coalesce(database_type, 'ob') like 'ob%' as has_tenant,
        {{ first_reject([
            ('missing_field', "'recordType is missing'", "recordType is null"),
            non_scalar_names(['table_name', 'db', 'record_primary_key']),
            ('unknown_operation', "concat('recordType is ', recordType)", "code is null"),
            ('missing_field', "'table_name is missing'",
                needs_table() ~ " and " ~ non_blank('table_name') ~ " is null"),
            ('missing_field', "'ddl is missing'",
                "event_type = 'schema' and " ~ non_blank('statement') ~ " is null"),
            ('missing_field', "'prevStruct holds no columns'",
                "operation = 'delete' and " ~ has_no_columns('prevStruct')),
            ('missing_field', "'postStruct holds no columns'",
                "operation in ('snapshot', 'insert', 'update') and " ~ has_no_columns('postStruct')),
            not_an_epoch('timestamp', '`timestamp`'),
        ]) }} as reject
    from coded
)

select
    {{ event_head(format) }},
    case when has_tenant then {{ oceanbase_tenant('db') }} end as source_name,
    database_type as source_type,
    if(has_tenant, {{ oceanbase_database('db') }}, {{ non_blank('db') }}) as database_name,
    cast(null as string) as schema_name,
    {{ non_blank('table_name') }} as table_name,
    -- the separator is U+0001; the document spells it /u0001
    case
        when event_type = 'row' and {{ non_blank('record_primary_key') }} is null then array()
        when event_type = 'row' and record_primary_key not rlike r'\x01|u0001' then array(record_primary_key)
        when event_type = 'row' then split(record_primary_key, r'\x01|[/\\]u0001')
    end as key_columns,
    -- `{}`: the old row is unknown
    case when operation in ('update', 'delete') and size(prevStruct) > 0 then prevStruct end as `before`,
    case when operation in ('snapshot', 'insert', 'update') then postStruct end as `after`,
    case when event_type = 'row' then false end as is_partial,
    {%- if has_types %}
    -- from {"a": {"schemaType": "INT"}} to {"a": "INT"}
    case
        when event_type = 'row' and startswith(light_type, '{')
            then regexp_replace(light_type, r'\{\s*"schemaType"\s*:\s*("[^"\\]*+(?:\\.[^"\\]*+)*+")[^{}]*+\}', '$1')
    end as column_types,
    {%- else %}
    cast(null as string) as column_types,
    {%- endif %}
    {{ epoch_timestamp("coalesce(" ~ non_blank('`timestamp`') ~ ", if(event_type = 'heartbeat', checkpoint, null))") }} as committed_at,
    cast(null as timestamp) as captured_at,
    {{ non_blank('storeDataSequence') }} as source_position,
    {{ non_blank('uniqueId') }} as transaction_id,
    statement as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}
