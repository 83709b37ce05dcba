{% macro parse_debezium_mongodb(messages, operations) %}
{%- set times = ['ts_ms', 'ts_us', 'ts_ns'] -%}
with envelope as (
    {{ _debezium_mongodb_envelope(messages) }}
),

shaped as (
    select
        * except (message, flat, flat_fields),
        case
            when coalesce(payload.op, payload.source.connector, payload.source.collection) is not null then 'change'
            when payload.status is not null
                and {{ fields_are_of('flat_fields', ['status', 'id', 'event_count', 'data_collections'] + times) }}
                then 'transaction'
            when {{ fields_are_of('flat_fields', times) }} then 'heartbeat'
        end as shape
    from (
        select
            *,
            message.payload,
            array_join(map_keys(flat.payload), ',') as flat_fields
        from envelope
    )
),

coded as (
    {{ coded_events(
        'shaped', operations, 'debezium_mongodb',
        "case shape when 'change' then payload.op when 'transaction' then payload.status else shape end",
        'cast(null as string)'
    ) }}
),

texts as (
    {{ _debezium_mongodb_texts('coded') }}
),

{{ mongo_documents('texts', ['before', 'key']) }},

imaged as (
    select
        *,
        array_except(map_keys(patch), array('$truncate', '$set', '$unset')) as unknown_operators,
        case
            when before_text is null and operation in ('update', 'delete') then key_fields
            else map_concat(before_fields, coalesce(key_fields, cast(map() as map<string, string>)), map('_document', before_document))
        end as images_before,
        case
            when is_patch then {{ mongo_patched_fields('key_fields', 'patch') }}
            when operation != 'delete' then map_concat(fields, coalesce(key_fields, cast(map() as map<string, string>)))
        end as images_after
    from documents
),

classified as (
    select
        *,
        if(is_tombstone, 'tombstone', null) as no_event,
        {{ first_reject([
            ('unknown_shape', "'no envelope of the connector for MongoDB: flattened documents are not read'", "shape is null"),
            ('unknown_shape', "concat('source.connector is ', payload.source.connector)", "lower(payload.source.connector) != 'mongodb'"),
            ('missing_field', "'op is missing'", "shape = 'change' and payload.op is null"),
            non_scalar_names(['payload.source.collection', 'payload.source.db']),
            ('unknown_operation', "concat('op is ', coalesce(payload.op, payload.status))",
                "code is null or (shape = 'change' and event_type != 'row')"),
            ('missing_field', "'source.collection is missing'",
                "event_type = 'row' and " ~ non_blank('payload.source.collection') ~ " is null"),
            ('missing_field', "'neither after nor updateDescription is there'",
                "event_type = 'row' and operation != 'delete' and value_text = 'null'"),
            ('missing_field', "'a truncated array has no field or no size'",
                "size(payload.updateDescription.truncatedArrays) > least(size(cut_fields), size(cut_sizes))"),
        ] + mongo_reject_reasons(
            'after, before, updatedFields or the key is no Extended JSON', 'neither the key nor the document has an _id'
        ) + [
            not_an_epoch('source.ts_ms', 'payload.source.ts_ms'),
            not_an_epoch('source.wallTime', 'payload.source.wallTime'),
            not_an_epoch('ts_ms', 'payload.ts_ms'),
        ]) }} as reject
    from imaged
)

select
    {{ event_head('debezium_mongodb') }},
    {{ non_blank('payload.source.name') }} as source_name,
    'mongodb' as source_type,
    {{ non_blank('payload.source.db') }} as database_name,
    cast(null as string) as schema_name,
    {{ non_blank('payload.source.collection') }} as table_name,
    case when event_type = 'row' then array('_id') end as key_columns,
    images_before as `before`,
    case when operation != 'delete' then map_concat(images_after, map('_document', document)) end as `after`,
    case when event_type = 'row' then is_patch end as is_partial,
    cast(null as string) as column_types,
    {{ most_exact_instant("coalesce(payload.source.wallTime, payload.source.ts_ms, if(shape = 'transaction', payload.ts_ms, null))", 'null', 'null') }} as committed_at,
    {{ most_exact_instant('payload.ts_ms', 'payload.ts_us', 'payload.ts_ns') }} as captured_at,
    -- 0 in a full load whose place in the log the connector does not know
    case
        when try_cast(payload.source.ts_ms as bigint) > 0
            then concat(try_cast(payload.source.ts_ms as bigint) div 1000, ':', payload.source.ord)
    end as source_position,
    coalesce(
        payload.transaction.id, if(shape = 'transaction', payload.id, null),
        concat(payload.source.lsid, ':', payload.source.txnNumber)
    ) as transaction_id,
    cast(null as string) as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}
