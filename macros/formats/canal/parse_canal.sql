{% macro parse_canal(messages, operations) %}
{%- set is_statement = "event_type = 'row' and message.data is null and message.sql != ''" -%}
{#- RDS logs its own heartbeat as a statement, whatever the binlog_format -#}
{%- set is_of_server = is_statement ~ " and message.sql rlike r'(?i)^\\s*+\\w++\\s++(?:\\w++\\s++){0,3}+`?mysql`?\\.'" -%}
with envelope as (
    {{ json_envelope(
        messages,
        "type: string, isDdl: string, `database`: string, `table`: string, pkNames: array<string>,
        data: array<map<string, string>>, old: array<map<string, string>>, mysqlType: string,
        tableChanges: string, id: string, es: string, ts: string, gtid: string, sql: string",
        bare_decimals='seldom',
        strict=true
    ) }}
),

coded as (
    {{ coded_events('envelope', operations, 'canal', 'upper(message.type)', 'message.sql') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            -- the text of a statement whose rows come in separate messages
            when code = 'QUERY' and message.isDdl = 'false' then 'control'
            when {{ is_of_server }} then 'control'
        end as no_event,
        if(coalesce({{ is_of_server }}, false), null, {{ first_reject([
            ('missing_field', "'type is missing'", "message.type is null"),
            non_scalar_names(['message.`table`', 'message.`database`']),
            ('unknown_operation', "concat('type is ', message.type)", "code is null"),
            ('missing_field', "'a statement in place of its rows: the source needs binlog_format=ROW'", is_statement),
            ('missing_field', "'table is missing'",
                needs_table() ~ " and " ~ non_blank('message.`table`') ~ " is null"),
            ('missing_field', "'there is no row, or one without columns'",
                "event_type = 'row' and " ~ lacks_rows('message.data')),
            not_an_epoch('es', 'message.es'),
            not_an_epoch('ts', 'message.ts'),
        ]) }}) as reject
    from coded
),

rows as (
    {{ exploded_rows('classified', 'message.data', 'message.old',
        dropped=dropped_tables('message.sql', 'message.`database`', 'message.`table`')) }}
)

select
    {{ event_head('canal', row_index='coalesce(row_index, 0)') }},
    cast(null as string) as source_name,
    'mysql' as source_type,
    {{ non_blank("if(operation = 'drop', data['database'], message.`database`)") }} as database_name,
    cast(null as string) as schema_name,
    {{ non_blank("if(operation = 'drop', data['table'], message.`table`)") }} as table_name,
    case
        when event_type = 'row' then coalesce(message.pkNames, array())
        when event_type = 'schema' then {{ key_of_table_changes('message.tableChanges') }}
    end as key_columns,
    case operation
        when 'update' then map_concat(data, old)
        when 'delete' then data
    end as `before`,
    case when event_type = 'row' and operation != 'delete' then data end as `after`,
    case when event_type = 'row' then false end as is_partial,
    {{ object_text('message.mysqlType') }} as column_types,
    {{ epoch_timestamp('message.es') }} as committed_at,
    {{ epoch_timestamp('message.ts') }} as captured_at,
    cast(null as string) as source_position,
    {{ non_blank('message.gtid') }} as transaction_id,
    case when event_type != 'row' then {{ non_blank('message.sql') }} end as ddl,
    {{ event_tail(message_number='try_cast(message.id as bigint)') }}
from rows
{% endmacro %}
