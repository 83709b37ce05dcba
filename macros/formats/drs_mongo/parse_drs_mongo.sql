{% macro parse_drs_mongo(messages, operations) %}
with envelope as (
    {{ json_envelope(
        messages,
        "op: string, recordType: string, db: string, coll: string, value: string, `where`: string,
        es: string, ts: string, clusterTime: string",
        strict=true
    ) }}
),

message_fields as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        message.*,
        upper(message.op) in ('DDL', 'INIT_DDL', 'COMMAND') as is_command,
        if(is_command, {{ _drs_mongo_command('message.value') }}, null) as command,
        if(is_command, {{ _drs_mongo_command_on('message.value') }}, null) as command_on
    from envelope
),

coded as (
    {{ coded_events('message_fields', operations, 'drs_mongo', _drs_mongo_code(), 'cast(null as string)') }}
),

texts as (
    select
        * except (`where`, patch_text),
        patch_text is not null as is_patch,
        case when event_type = 'row' then coalesce(patch_text, value, 'null') end as value_text,
        case when event_type = 'row' then {{ non_blank('`where`') }} end as where_text
    from (
        select
            *,
            case when operation = 'update' then {{ mongo_patch('value') }} end as patch_text
        from coded
    )
),

{{ mongo_documents('texts', ['where']) }},

-- what the message tells about the document's fields
imaged as (
    select
        *,
        array_except(map_keys(patch), array('$set', '$unset')) as unknown_operators,
        case
            when operation = 'delete' and (map_contains_key(fields, '_id') or where_fields is null) then fields
            when operation = 'delete' then map_concat(where_fields, coalesce(fields, cast(map() as map<string, string>)))
            when operation = 'update' then where_fields
        end as images_before,
        case
            when is_patch then {{ mongo_patched_fields('where_fields', 'patch') }}
            when operation != 'delete' and map_contains_key(fields, '_id') then fields
            when operation != 'delete' then map_concat(coalesce(where_fields, cast(map() as map<string, string>)), fields)
        end as images_after
    from documents
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            ('missing_field', "'op is missing'", "op is null"),
            non_scalar_names(['coll', 'db']),
            ('unknown_operation', "concat('op is ', op)", "code is null"),
            ('missing_field', "'coll is missing'",
                "event_type = 'row' and " ~ non_blank('coll') ~ " is null"),
            ('missing_field', "'the command names no collection'",
                "command = 'drop' and coalesce(" ~ non_blank('coll') ~ ", '$cmd') like '$cmd%' and " ~ non_blank('command_on') ~ " is null"),
            ('missing_field', "'value is missing'",
                "nullif(" ~ non_blank('value') ~ ", 'null') is null and (operation != 'delete' or where_text is null)"),
            ('missing_field', "'where is missing'", "is_patch and " ~ non_blank('where_text') ~ " is null"),
        ] + mongo_reject_reasons('value or where is not a document as the Mongo shell writes it', '_id is missing') + [
            not_an_epoch('es'),
            not_an_epoch('ts'),
        ]) }} as reject
    from imaged
)

select
    {{ event_head('drs_mongo') }},
    cast(null as string) as source_name,
    'mongodb' as source_type,
    {{ non_blank('db') }} as database_name,
    cast(null as string) as schema_name,
    case
        when event_type = 'row' or {{ non_blank('coll') }} not like '$cmd%' then coll
        -- a rename includes the database
        when startswith(command_on, concat(db, '.')) then substr(command_on, length(db) + 2)
        else {{ non_blank('command_on') }}
    end as table_name,
    case when event_type = 'row' then array('_id') end as key_columns,
    images_before as `before`,
    case
        when operation != 'delete' then map_concat(images_after, map('_document', document))
    end as `after`,
    case when event_type = 'row' then is_patch end as is_partial,
    cast(null as string) as column_types,
    {{ epoch_timestamp('es') }} as committed_at,
    {{ epoch_timestamp('ts') }} as captured_at,
    {{ non_blank('clusterTime') }} as source_position,
    cast(null as string) as transaction_id,
    case when event_type != 'row' then {{ non_blank('value') }} end as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}
