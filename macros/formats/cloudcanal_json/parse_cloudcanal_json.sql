{% macro parse_cloudcanal_json(messages, operations) %}
with envelope as (
    {{ json_envelope(
        messages,
        "action: string, entryType: string, isDdl: string, ddl: string, db: string, `schema`: string,
        `table`: string, pks: array<string>, data: array<map<string, string>>,
        `before`: array<map<string, string>>, dbValType: string, jdbcType: string,
        tableChanges: string, execTs: string, sendTs: string, sql: string",
        bare_decimals='seldom',
        strict=true
    ) }}
),

message_fields as (
    select
        *,
        -- of what holds no rows the entry's type; of a DDL statement the action is a name of the
        -- source's, and the statement tells more. The flag was once named ddl.
        case
            when upper(message.entryType) != 'ROWDATA' and message.entryType != '' then upper(message.entryType)
            when lower(coalesce(message.isDdl, message.ddl)) = 'true' then 'DDL'
            else {{ non_blank('upper(message.action)') }}
        end as stated_code
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, 'cloudcanal_json', 'stated_code', 'message.sql') }}
),

imaged as (
    select
        *,
        {{ row_images('message.data', 'message.`before`') }} as images
    from coded
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            ('missing_field', "'action is missing'", "stated_code is null"),
            non_scalar_names(['message.`table`', 'message.`schema`', 'message.db']),
            ('unknown_operation',
                "concat('action is ', coalesce(message.action, 'null'), ', entryType is ', coalesce(message.entryType, 'null'))",
                "code is null"),
            ('missing_field', "'table is missing'",
                needs_table() ~ " and " ~ non_blank('message.`table`') ~ " is null"),
            ('missing_field', "'sql is missing'",
                "event_type = 'schema' and " ~ non_blank('message.sql') ~ " is null"),
            ('missing_field', "'there is no row, or one without columns'",
                "event_type = 'row' and " ~ lacks_rows('images')),
            not_an_epoch('execTs', 'message.execTs'),
            not_an_epoch('sendTs', 'message.sendTs'),
        ]) }} as reject
    from imaged
),

rows as (
    {{ exploded_rows('classified', 'images', 'message.`before`') }}
)

select
    {{ event_head('cloudcanal_json', row_index='coalesce(row_index, 0)') }},
    cast(null as string) as source_name,
    cast(null as string) as source_type,
    {{ non_blank('message.db') }} as database_name,
    {{ non_blank('message.`schema`') }} as schema_name,
    {{ non_blank('message.`table`') }} as table_name,
    -- pks is empty for some tables that have a key: then it tells nothing
    case
        when size(message.pks) > 0 then message.pks
        when event_type = 'schema' then {{ key_of_table_changes('message.tableChanges') }}
    end as key_columns,
    case operation
        when 'update' then map_concat(data, old)
        when 'delete' then data
    end as `before`,
    case when operation != 'delete' then data end as `after`,
    case when event_type = 'row' then false end as is_partial,
    -- JDBC's type numbers, if the source's type names are missing
    {{ object_text("coalesce(nullif(message.dbValType, '{}'), message.jdbcType)") }} as column_types,
    {{ epoch_timestamp('message.execTs') }} as committed_at,
    {{ epoch_timestamp('message.sendTs') }} as captured_at,
    cast(null as string) as source_position,
    cast(null as string) as transaction_id,
    case when event_type != 'row' then {{ non_blank('message.sql') }} end as ddl,
    {{ event_tail() }}
from rows
{% endmacro %}
