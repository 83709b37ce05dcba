{% macro parse_drs_avro(messages, operations, drs_types, jdbc_types) %}
with envelope as (
    {{ avro_envelope(messages, drs_avro_schema(), fingerprints=['4e9ea30940ac78cc']) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        unreadable_detail,
        message.operation as operation_name,
        message.tableName as quoted_name,
        -- "database"."table"
        if(
            message.tableName like '"%"',
            split(substring(message.tableName, 2, length(message.tableName) - 2), '"[.]"'),
            split(message.tableName, '[.]')
        ) as name_parts,
        message.fields,
        message.beforeImages as old_values,
        message.afterImages as new_values,
        {{ _drs_avro_statement_text() }} as statement_text,
        -- 0 means a time that the producer does not know
        if(message.updateTimestamp = 0, null, cast(message.updateTimestamp as string)) as source_time,
        -- a position, a semicolon and a transaction
        message.eventid as event_id,
        substring_index(message.eventid, ';', 1) as event_position,
        message.seqno as sequence_number
    from envelope
),

statements as (
    select
        * except (statement_text),
        {{ _drs_avro_statement() }} as statement,
        statement_text.charset as statement_charset,
        statement_text.value != X'' as has_statement
    from message_fields
),

coded as (
    {{ coded_events('statements', operations, 'drs_avro', 'upper(operation_name)', 'statement') }}
),

typed as (
    -- after the join and used once, so that Spark inlines it instead of storing it in rows
    select
        *,
        {{ avro_type_names(_drs_avro_type_numbers(drs_types, jdbc_types)) }}[
            -- PostgreSQL and GaussDB, whose tables have a schema, number their types as in DRS's JSON
            if(size(name_parts) = 3, 'columnType', 'mysqlType')
        ] as type_names
    from coded
),

imaged as (
    select
        * except (name_parts, type_names, old_values, new_values),
        {{ non_blank("case when size(name_parts) > 1 then name_parts[0] end") }} as database_name,
        {{ non_blank("case when size(name_parts) = 3 then name_parts[1] end") }} as schema_name,
        {{ non_blank("try_element_at(name_parts, -1)") }} as table_name,
        size(name_parts) > 3 as has_odd_name,
        {%- for image, values in [('before', 'old_values'), ('after', 'new_values')] %}
        case
            when event_type = 'row' and size({{ values }}) = size(fields) then
        {{ avro_image('fields.name', values, [
            (5, 'value.member5.value'),
            (6, 'value.member6.value'),
            (7, base64_text('value.member7.value')),
        ]) }}
        end as `{{ image }}_image`,
        size({{ values }}) > 0 and size({{ values }}) != coalesce(size(fields), -1) as {{ image }}_is_uneven,
        {{ unknown_charset(values) }} as {{ image }}_unknown_charset,
        {%- endfor %}
        {{ _drs_avro_column_types() }} as column_types
    from typed
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            not_utf8(['operation_name', 'quoted_name', 'event_id']),
            ('unknown_operation', "concat('operation is ', operation_name)", "code is null"),
            ('wrong_type', "concat('tableName is ', quoted_name)", "has_odd_name"),
            ('missing_field', "'tableName is missing'", needs_table() ~ " and table_name is null"),
            ('unknown_charset', "concat('the statement is not in its character set, ', coalesce(" ~ non_blank('statement_charset') ~ ", 'which has no name'))",
                "has_statement and statement is null"),
        ] + avro_reject_reasons() + [
            not_an_epoch('updateTimestamp', 'source_time'),
        ], unreadable_detail='unreadable_detail') }} as reject
    from imaged
)

select
    {{ event_head('drs_avro') }},
    cast(null as string) as source_name,
    cast(null as string) as source_type,
    database_name,
    schema_name,
    table_name,
    cast(null as array<string>) as key_columns,
    case when reject is null and operation in ('update', 'delete') then before_image end as `before`,
    case when reject is null and operation in ('snapshot', 'insert', 'update') then after_image end as `after`,
    case when event_type = 'row' then false end as is_partial,
    if(reject is null, column_types, null) as column_types,
    {{ epoch_timestamp('source_time') }} as committed_at,
    cast(null as timestamp) as captured_at,
    coalesce(
        -- anything but a place in a binlog cannot be compared with one
        case when event_position rlike r'\.[0-9]++:[0-9]++\z' then event_position end,
        cast(sequence_number as string)
    ) as source_position,
    {{ non_blank("split_part(event_id, ';', 2)") }} as transaction_id,
    case when reject is null and event_type != 'row' then statement end as ddl,
    {{ event_tail(message_number='sequence_number') }}
from classified
{% endmacro %}
