{% macro parse_dts_avro(messages, operations, dts_types) %}
with envelope as (
    {{ avro_envelope(messages, dts_avro_schema(), optional_long='bornTimestamp') }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        unreadable_detail,
        message.operation as operation_name,
        lower(message.source.sourceType) as source_type,
        message.objectName as object_name,
        split(message.objectName, '[.]') as name_parts,
        message.tags['pk_uk_info'] as key_info,
        message.fields.member1 as fields,
        message.beforeImages.member1 as old_values,
        message.afterImages.member1 as new_values,
        -- no nullif() here: for it, Spark would carry the whole message to the next step
        if(message.afterImages.member0 = '', null, message.afterImages.member0) as statement,
        -- 0 means a time that the producer does not know
        if(message.sourceTimestamp = 0, null, cast(message.sourceTimestamp as string)) as source_time,
        if(message.bornTimestamp in (-1, 0), null, cast(message.bornTimestamp as string)) as born_time,
        message.sourcePosition as source_position,
        -- <-> means that DTS reads PostgreSQL's log files
        message.source.sourceType in ('Oracle', 'PPAS') or contains(message.sourcePosition, '<->') as has_nanoseconds,
        message.sourceTxid as transaction_id,
        message.id as message_number
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, 'dts_avro', 'operation_name', 'statement') }}
),

typed as (
    -- after the join and used once, so that Spark inlines it instead of storing it in rows
    select
        *,
        {{ avro_type_names(dts_types) }}[
            case source_type when 'drds' then 'mysql' when 'ppas' then 'postgresql' else source_type end
        ] as type_names
    from coded
),

imaged as (
    select
        * except (name_parts, type_names, old_values, new_values),
        {{ _dts_name_part(0) }} as database_name,
        case when size(name_parts) = 3 then {{ _dts_name_part(1) }} end as schema_name,
        case
            when size(name_parts) = 3 then {{ _dts_name_part(2) }}
            when size(name_parts) = 2 then {{ _dts_name_part(1) }}
            -- other databases would need a schema in the statement too
            when size(name_parts) = 1 and event_type != 'row' and source_type in ('mysql', 'drds')
                then {{ table_of_statement('statement', _dts_name_part(0)) }}
        end as table_name,
        size(name_parts) > 3 as has_odd_name,
        {%- for image, values in [('before', 'old_values'), ('after', 'new_values')] %}
        {{ _dts_image(values) }} as `{{ image }}_image`,
        size({{ values }}) > 0 and size({{ values }}) != coalesce(size(fields), -1) as {{ image }}_is_uneven,
        coalesce(array_contains({{ values }}.member11, 'NONE'), false) as {{ image }}_is_partial,
        {{ unknown_charset(values) }} as {{ image }}_unknown_charset,
        {%- endfor %}
        {{ _dts_column_types('fields', 'if(size(new_values) > 0, new_values, old_values)', 'type_names') }} as column_types
    from typed
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            when event_type = 'control' then 'control'
        end as no_event,
        {{ first_reject([
            not_utf8(['object_name', 'key_info', 'source_position', 'transaction_id']),
            ('unknown_operation', "concat('operation is ', operation_name)", "code is null"),
            ('wrong_type', "concat('objectName is ', object_name)", "has_odd_name"),
            ('missing_field', "'objectName names no table'",
                needs_table() ~ " and table_name is null"),
        ] + avro_reject_reasons() + [
            not_an_epoch('sourceTimestamp', 'source_time'),
            not_an_epoch('bornTimestamp', 'born_time'),
        ], unreadable_detail='unreadable_detail') }} as reject
    from imaged
)

select
    {{ event_head('dts_avro') }},
    cast(null as string) as source_name,
    source_type,
    database_name,
    schema_name,
    table_name,
    case
        -- the usual case, without parsing JSON
        when event_type = 'row' and key_info rlike r'^\{"PRIMARY":\["[^"\\]++"\][,}]'
            then array(substring_index(substring(key_info, 14), '"', 1))
        when event_type = 'row' and key_info is not null
            then coalesce(
                try_variant_get(try_parse_json(key_info), '$.PRIMARY', 'array<string>'),
                -- in other databases, the key is named as its constraint
                if(source_type in ('mysql', 'drds') and try_parse_json(key_info) is not null, array(), null)
            )
    end as key_columns,
    case when reject is null and operation in ('update', 'delete') then before_image end as `before`,
    case when reject is null and operation in ('snapshot', 'insert', 'update') then after_image end as `after`,
    case when event_type = 'row' then operation != 'delete' and after_is_partial end as is_partial,
    if(reject is null, column_types, null) as column_types,
    {{ epoch_timestamp('source_time') }} as committed_at,
    {{ epoch_timestamp('born_time') }} as captured_at,
    {{ non_blank('source_position') }} as source_position,
    case when transaction_id not in ('', '0') then transaction_id end as transaction_id,
    case when reject is null and event_type != 'row' then statement end as ddl,
    {{ event_tail(message_number='message_number') }}
from classified
{% endmacro %}
