{% macro parse_oceanbase_dataworks(messages, operations) %}
with envelope as (
    {{ json_envelope(
        messages,
        "schema: struct<source: struct<dbType: string, dbName: string, `schema`: string, `table`: string>,
        `column`: array<struct<name: string, type: string>>, pk: array<string>>,
        payload: struct<`before`: struct<data: map<string, string>>, `after`: struct<data: map<string, string>>,
        op: string, `timestamp`: struct<eventTime: string, systemTime: string, checkpointTime: string>,
        ddl: struct<text: string>, scn: string>",
        bare_decimals='usually',
        strict=true
    ) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        message.schema.`column` as columns,
        message.schema.pk,
        message.schema.source.*,
        {{ source_type('message.schema.source.dbType') }} as database_type,
        message.payload.op,
        message.payload.`before`.data as row_before,
        message.payload.`after`.data as row_after,
        {{ integer_text(non_blank('message.payload.`timestamp`.eventTime')) }} as event_time,
        {{ integer_text(non_blank('message.payload.`timestamp`.systemTime')) }} as system_time,
        {{ integer_text(non_blank('message.payload.`timestamp`.checkpointTime')) }} as checkpoint_time,
        message.payload.ddl.text as statement,
        message.payload.scn
    from envelope
),

timed as (
    select
        *,
        -- checkpointTime is in seconds
        {{ _oceanbase_dataworks_time("coalesce(event_time, if(op = 'HEARTBEAT', checkpoint_time, null))") }} as committed_at,
        {{ _oceanbase_dataworks_time('system_time') }} as captured_at
    from message_fields
),

coded as (
    {{ coded_events('timed', operations, 'oceanbase_dataworks', 'op', 'statement') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            when event_type = 'control' then 'control'
        end as no_event,
        -- tenant.database of OceanBase; elsewhere a dot is part of the name
        database_type like 'ob%' as has_tenant,
        {{ first_reject([
            ('missing_field', "'op is missing'", "op is null"),
            non_scalar_names(['`table`', '`schema`', 'dbName'], lists=['pk']),
            holds_a_null('pk'),
            ('unknown_operation', "concat('op is ', op)", "code is null"),
            ('missing_field', "'table is missing'",
                needs_table() ~ " and " ~ non_blank('`table`') ~ " is null"),
            ('missing_field', "'ddl.text is missing'",
                "operation = 'other' and " ~ is_blank('statement')),
            ('missing_field', "'before.data holds no columns'",
                "operation = 'delete' and " ~ has_no_columns('row_before')),
            ('missing_field', "'after.data holds no columns'",
                "operation in ('snapshot', 'insert', 'update') and " ~ has_no_columns('row_after')),
            ('wrong_type', "concat('eventTime is ', event_time)", "event_time is not null and committed_at is null"),
            ('wrong_type', "concat('systemTime is ', system_time)", "system_time is not null and captured_at is null"),
        ]) }} as reject
    from coded
)

select
    {{ event_head('oceanbase_dataworks') }},
    case when has_tenant then {{ oceanbase_tenant('dbName') }} end as source_name,
    database_type as source_type,
    if(has_tenant, {{ oceanbase_database('dbName') }}, {{ non_blank('dbName') }}) as database_name,
    {{ non_blank('`schema`') }} as schema_name,
    {{ non_blank('`table`') }} as table_name,
    case when event_type = 'row' then coalesce(pk, array()) end as key_columns,
    -- `{}`: the old row is unknown
    case when operation in ('update', 'delete') and size(row_before) > 0 then row_before end as `before`,
    case when operation in ('snapshot', 'insert', 'update') then row_after end as `after`,
    case when event_type = 'row' then false end as is_partial,
    -- a null among the names, which cannot be a map's key, makes the condition null
    case
        when event_type = 'row' and not arrays_overlap(columns.name, array('')) then nullif(to_json(map_from_entries(columns)), '{}')
    end as column_types,
    committed_at,
    captured_at,
    nullif({{ non_blank('scn') }}, 'null') as source_position,
    cast(null as string) as transaction_id,
    case when event_type != 'row' then {{ non_blank('statement') }} end as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}

{# A time of the envelope: milliseconds, possibly with nanoseconds after the point; up to ten digits, without a point, are seconds. #}
{% macro _oceanbase_dataworks_time(text) -%}
coalesce(
            {{ epoch_timestamp(text) }},
            case
                when try_cast({{ text }} as double) not between -9999999999 and 9999999999
                    then {{ epoch_instant('left(' ~ text ~ ', 20)', 'epoch_millis_nanos') }}
            end
        )
{%- endmacro %}
