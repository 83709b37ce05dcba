{% macro parse_oceanbase_shareplex(messages, operations, feeds) %}
with envelope as (
    {{ json_envelope(
        messages,
        "data: map<string, string>, `key`: map<string, string>, meta: struct<op: string, `table`: string,
        time: string, posttime: string, trans: string, scn: string>",
        bare_decimals='usually',
        strict=true
    ) }}
),

zoned as (
    {{ with_time_zone('envelope', feeds) }}
),

coded as (
    {{ coded_events('zoned', operations, 'oceanbase_shareplex', 'lower(message.meta.op)', 'cast(null as string)') }}
),

named as (
    select
        *,
        -- [tenant.]database.table
        {{ non_blank("substring_index(message.meta.`table`, '.', -1)") }} as table_name,
        substr(message.meta.`table`, 1, length(message.meta.`table`) - length(substring_index(message.meta.`table`, '.', -1)) - 1) as db,
        {{ decode_timestamp(cut_to_micros('message.meta.time'), 'text', 'time_zone') }} as committed_at,
        {{ decode_timestamp(cut_to_micros('message.meta.posttime'), 'text', 'time_zone') }} as captured_at
    from coded
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            ('missing_field', "'op is missing'", "message.meta.op is null"),
            non_scalar_names(['message.meta.`table`']),
            ('unknown_operation', "concat('op is ', message.meta.op)", "code is null"),
            ('missing_field', "'table is missing'", "table_name is null"),
            ('missing_field', "'data is missing'", "message.data is null"),
            ('missing_field', "'data holds no columns'", "operation != 'update' and size(message.data) = 0"),
            ('missing_field', "'key holds no columns'",
                "operation = 'update' and " ~ has_no_columns('message.`key`')),
            ('wrong_type', "concat('time is ', message.meta.time)",
                non_blank('message.meta.time') ~ " is not null and committed_at is null"),
            ('wrong_type', "concat('posttime is ', message.meta.posttime)",
                non_blank('message.meta.posttime') ~ " is not null and captured_at is null"),
        ]) }} as reject
    from named
)

select
    {{ event_head('oceanbase_shareplex') }},
    {{ oceanbase_tenant('db') }} as source_name,
    cast(null as string) as source_type,
    {{ oceanbase_database('db') }} as database_name,
    cast(null as string) as schema_name,
    table_name,
    cast(null as array<string>) as key_columns,
    case operation
        when 'update' then message.`key`
        when 'delete' then message.data
    end as `before`,
    case when operation != 'delete' then message.data end as `after`,
    case when event_type = 'row' then operation = 'update' end as is_partial,
    cast(null as string) as column_types,
    committed_at,
    captured_at,
    nullif({{ non_blank('message.meta.scn') }}, 'null') as source_position,
    {{ non_blank('message.meta.trans') }} as transaction_id,
    cast(null as string) as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}
