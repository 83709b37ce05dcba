{% macro parse_ckafka_format_one(messages, operations, feeds) %}
with envelope as (
    -- one struct could not hold both kinds: Spark ignores the case of names
    {{ json_envelope(
        messages,
        "`TYPE`: string, `DATABASE`: string, `TABLE`: string, `TIME`: string,
        NEW_VALUES: map<string, string>, OLD_VALUES: map<string, string>,
        BINLOG_NAME: string, BINLOG_POS: string, GLOBAL_ID: string",
        bare_decimals='usually',
        strict=true,
        also=[(
            'statement',
            'struct<type: string, isDdl: string, `database`: string, `table`: string, es: string, ts: string, sql: string>',
            'json', "contains(json, '\"isDdl\"')",
        )]
    ) }}
),

zoned as (
    {{ with_time_zone('envelope', feeds) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        coalesce(message.`TYPE`, statement.type) as operation_type,
        {{ non_blank('coalesce(message.`DATABASE`, statement.`database`)') }} as database_name,
        {{ non_blank('coalesce(message.`TABLE`, statement.`table`)') }} as table_name,
        message.NEW_VALUES as new_values,
        message.OLD_VALUES as old_values,
        -- 20260301080000
        regexp_replace(
            message.`TIME`, r'^([0-9]{4})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})([0-9]{2})\z', '$1-$2-$3 $4:$5:$6'
        ) as logged_text,
        time_zone,
        {{ non_blank('message.BINLOG_NAME') }} as binlog_name,
        {{ non_blank('message.BINLOG_POS') }} as binlog_pos,
        {{ non_blank('message.GLOBAL_ID') }} as transaction_id,
        statement.isDdl = 'false' as is_annotation,
        statement.es,
        statement.ts,
        {{ non_blank('statement.sql') }} as sql
    from zoned
),

timed as (
    select
        *,
        {{ decode_timestamp('logged_text', 'text', 'time_zone') }} as logged_at
    from message_fields
),

coded as (
    {{ coded_events('timed', operations, 'ckafka_format_one', 'upper(operation_type)', 'sql') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            -- as in Canal: the text of a statement whose rows come in separate messages
            when code = 'QUERY' and is_annotation then 'control'
        end as no_event,
        {{ first_reject([
            ('missing_field', "'TYPE is missing'", "operation_type is null"),
            non_scalar_names(['table_name', 'database_name']),
            ('unknown_operation', "concat('TYPE is ', operation_type)", "code is null"),
            ('missing_field', "'TABLE is missing'", needs_table() ~ " and table_name is null"),
            ('missing_field', "'NEW_VALUES holds no columns'",
                "operation in ('insert', 'update') and " ~ has_no_columns('new_values')),
            ('missing_field', "'OLD_VALUES holds no columns'",
                "operation = 'delete' and " ~ has_no_columns('old_values')),
            ('missing_field', "'sql is missing'", "event_type = 'schema' and sql is null"),
            ('wrong_type', "concat('TIME is ', logged_text)", non_blank('logged_text') ~ " is not null and logged_at is null"),
            not_an_epoch('es'),
            not_an_epoch('ts'),
        ]) }} as reject
    from coded
)

select
    {{ event_head('ckafka_format_one') }},
    cast(null as string) as source_name,
    'mysql' as source_type,
    database_name,
    cast(null as string) as schema_name,
    table_name,
    cast(null as array<string>) as key_columns,
    case when operation in ('update', 'delete') and size(old_values) > 0 then old_values end as `before`,
    case when operation in ('insert', 'update') then new_values end as `after`,
    case when event_type = 'row' then false end as is_partial,
    cast(null as string) as column_types,
    -- the first second of 1970, in whatever zone the connector runs, means a time that it does not know
    coalesce(case when abs(unix_seconds(logged_at)) > 86400 then logged_at end, {{ epoch_timestamp('es') }}) as committed_at,
    {{ epoch_timestamp('ts') }} as captured_at,
    concat(binlog_name, ':', binlog_pos) as source_position,
    transaction_id,
    case when event_type != 'row' then sql end as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}
