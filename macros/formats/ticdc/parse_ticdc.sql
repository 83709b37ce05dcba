{% macro parse_ticdc(messages, operations) %}
with envelope as (
    {{ _ticdc_envelope(messages) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        -- keys of the Open Protocol begin with its version, in eight bytes
        coalesce(startswith(key, x'0000000000000001'), false) as is_open,
        if(startswith(key, x'0000000000000001'), null, unreadable) as unreadable,
        message.type is null and message.payload is not null as is_debezium,
        upper(coalesce(simple.type, message.type)) as type,
        {{ non_blank('coalesce(simple.`database`, simple.tableSchema.`schema`, message.`database`)') }} as database_name,
        {{ non_blank('coalesce(simple.`table`, simple.tableSchema.`table`, message.`table`)') }} as table_name,
        message.pkNames as key_names,
        if(simple.data is null, message.data, array(simple.data)) as data_rows,
        if(simple.old is null, message.old, array(simple.old)) as old_rows,
        message.mysqlType as mysql_types,
        simple.tableSchema as table_schema,
        -- 0 in a bootstrap message
        nullif({{ non_blank('coalesce(simple.commitTs, message._tidb.commitTs, message._tidb.watermarkTs)') }}, '0') as commit_ts,
        message.es,
        coalesce(simple.buildTs, message.ts) as built_at,
        coalesce(simple.sql, message.sql) as sql,
        coalesce(simple.handleKeyOnly, message._tidb.onlyHandleKey) = 'true' as is_key_alone,
        {{ non_blank('coalesce(simple.claimCheckLocation, message._tidb.claimCheckLocation)') }} as claim_check
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, 'ticdc', 'type', 'sql') }}
),

imaged as (
    select
        *,
        -- a TSO: milliseconds, then an 18-bit counter
        timestamp_millis(shiftright(nullif(greatest(try_cast(commit_ts as bigint), -1), -1), 18)) as committed_at,
        {{ row_images('data_rows', 'old_rows') }} as images,
        -- a delete is complete with the columns of its primary key only
        coalesce(operation = 'delete' and size(key_names) > 0, false) as key_is_enough
    from coded
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            ('open_protocol', "'the message is one of the Open Protocol: have TiCDC send protocol=canal-json or simple'", "is_open"),
            ('unknown_shape', "'the message is one of the Debezium protocol: its feed has to be of the format debezium'", "is_debezium"),
            ('claim_check', "concat('the row stands outside of Kafka, in ', claim_check)",
                "claim_check is not null and not key_is_enough"),
            ('handle_key_only', "'the row was too large: the message has its key alone'",
                "is_key_alone and not key_is_enough"),
            ('missing_field', "'type is missing'", "type is null"),
            non_scalar_names(['table_name', 'database_name']),
            ('unknown_operation', "concat('type is ', type)", "code is null"),
            ('missing_field', "'table is missing'", needs_table() ~ " and table_name is null"),
            ('missing_field', "'there is no row, or one without columns'",
                "event_type = 'row' and " ~ lacks_rows('images')),
            ('wrong_type', "concat('commitTs is ', commit_ts)", "commit_ts is not null and committed_at is null"),
            not_an_epoch('es'),
            not_an_epoch('ts', 'built_at'),
        ]) }} as reject
    from imaged
),

defined as (
    {{ _ticdc_definitions('classified') }}
),

rows as (
    {{ exploded_rows('defined', 'images', 'old_rows') }}
)

select
    {{ event_head('ticdc', row_index='coalesce(row_index, 0)') }},
    cast(null as string) as source_name,
    'tidb' as source_type,
    database_name,
    cast(null as string) as schema_name,
    table_name,
    case
        when event_type != 'row' then defined_key
        -- in the Simple Protocol, rows have neither types nor key
        when event_type = 'row' then coalesce(key_names, if(mysql_types is null, null, array()))
    end as key_columns,
    case operation
        when 'update' then map_concat(data, old)
        when 'delete' then data
    end as `before`,
    case when operation != 'delete' then data end as `after`,
    case when event_type = 'row' then coalesce(key_is_enough and size(data) = size(key_names), false) end as is_partial,
    coalesce({{ object_text('mysql_types') }}, {{ types_of_columns('defined_columns', in_order=true) }}) as column_types,
    coalesce(committed_at, {{ epoch_timestamp('es') }}) as committed_at,
    {{ epoch_timestamp('built_at') }} as captured_at,
    commit_ts as source_position,
    cast(null as string) as transaction_id,
    case when event_type != 'row' then {{ non_blank('sql') }} end as ddl,
    {{ event_tail() }}
from rows
{% endmacro %}
