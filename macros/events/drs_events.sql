{% macro drs_events(messages, operations, format, deleted_rows) %}
{%- set operation_name = 'coalesce(' ~ non_blank('message.type') ~ ', message.opType)' -%}
{%- set types = 'coalesce(message.mysqlType, message.columnType)' -%}
with envelope as (
    {{ json_envelope(
        messages,
        "type: string, opType: string, `database`: string, `schema`: string, `table`: string, dbType: string,
        pkNames: array<string>, data: array<map<string, string>>, old: array<map<string, string>>,
        mysqlType: string, columnType: string, id: string, eventId: string, es: string, ts: string, sql: string",
        bare_decimals='seldom',
        strict=true
    ) }}
),

coded as (
    {{ coded_events(
        'envelope', operations, format, 'upper(' ~ operation_name ~ ')', 'message.sql'
    ) }}
),

imaged as (
    select
        *,
        {{ source_type('message.dbType') }} as database_type,
        {{ row_images('message.data', 'message.old', deleted_rows) }} as images
    from coded
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            ('missing_field', "'type is missing'", operation_name ~ " is null"),
            non_scalar_names(['message.`table`', 'message.`schema`', 'message.`database`'], lists=['message.pkNames']),
            holds_a_null('pkNames', 'message.pkNames'),
            ('unknown_operation', "concat('type is ', " ~ operation_name ~ ")", "code is null"),
            ('missing_field', "'table is missing'",
                needs_table() ~ " and " ~ non_blank('message.`table`') ~ " is null"),
            ('missing_field', "'sql is missing'",
                "event_type = 'schema' and " ~ is_blank('message.sql')),
            ('missing_field', "'there is no row, or one without columns'",
                "event_type = 'row' and " ~ lacks_rows('images')),
            ('wrong_type', "'a list or an object where this dialect has a single value, or the reverse'",
                "not startswith(" ~ non_blank(types) ~ ", '{')"),
            not_an_epoch('es', 'message.es'),
            not_an_epoch('ts', 'message.ts'),
        ]) }} as reject
    from imaged
),

rows as (
    {{ exploded_rows('classified', 'images', 'message.old') }}
)

select
    {{ event_head(format, row_index='coalesce(row_index, 0)') }},
    cast(null as string) as source_name,
    case
        when database_type is not null then database_type
        when message.columnType is null then 'mysql'
    end as source_type,
    {{ non_blank('message.`database`') }} as database_name,
    {{ non_blank('message.`schema`') }} as schema_name,
    {{ non_blank('message.`table`') }} as table_name,
    case
        when event_type = 'row' and message.columnType is null and message.dbType is null
            then coalesce(message.pkNames, array())
        when event_type = 'row' then message.pkNames
    end as key_columns,
    case operation
        when 'update' then map_concat(data, old)
        when 'delete' then data
    end as `before`,
    case when operation != 'delete' then data end as `after`,
    case when event_type = 'row' then false end as is_partial,
    {{ object_text(types) }} as column_types,
    -- PostgreSQL's es is the time of the previous transaction
    case when database_type is distinct from 'postgresql' then {{ epoch_timestamp('message.es') }} end as committed_at,
    {{ epoch_timestamp('message.ts') }} as captured_at,
    coalesce(
        {{ non_blank("substring_index(message.eventId, ';', 1)") }},
        {{ non_blank('message.id') }}
    ) as source_position,
    {{ non_blank("split_part(message.eventId, ';', 2)") }} as transaction_id,
    case when event_type != 'row' then {{ non_blank('message.sql') }} end as ddl,
    {{ event_tail(message_number='try_cast(message.id as bigint)') }}
from rows
{% endmacro %}
