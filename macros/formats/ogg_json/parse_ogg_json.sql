{% macro parse_ogg_json(messages, operations, feeds) %}
with envelope as (
    {{ json_envelope(
        messages,
        "documents: array<struct<`table`: string, op_type: string, op_ts: string, current_ts: string, pos: string,
        xid: string, primary_keys: array<string>, `before`: map<string, string>, `after`: map<string, string>,
        `$schema`: string>>",
        bare_decimals='seldom',
        strict=true,
        value_text=_ogg_json_list('cast(value as string)'),
        message_text="concat('{\"documents\":', json, '}')",
        also=[(
            'flat_rows', 'array<map<string, string>>', 'json',
            "not (contains(json, '\"after\":{') or contains(json, '\"before\":{'))",
        )],
        carried=[('has_flags', "contains(json, '_isMissing\"')")]
    ) }}
),

zoned as (
    {{ with_time_zone('envelope', feeds) }}
),

told as (
    select
        {{ message_columns() }},
        is_tombstone,
        unreadable,
        -- a message without a document gets a null instead, so that it is not lost
        if(
            unreadable is null and size(message.documents) > 0,
            transform(message.documents, (document, place) -> if(document is null, null, {{ _ogg_json_told() }})),
            array(null)
        ) as documents
    from zoned
    -- not coded_events(): a message with several documents is checked before it is split
    cross join (
        select map_from_entries(collect_list(struct(code, struct(event_type, {{ non_blank('operation') }} as operation)))) as meanings
        from {{ operations }}
        where format = 'ogg_json'
    )
),

-- one bad document makes the whole message a reject: a transaction must not be read in part
checked as (
    select
        *,
        get(filter(
            transform(documents, document -> {{ _ogg_json_reject() }}),
            reject -> reject is not null
        ), 0) as reject
    from told
),

classified as (
    select
        {{ message_columns() }},
        reject,
        row_index,
        document.*,
        document.meaning.*,
        split(document.full_name, '[.]') as name_parts,
        case
            when is_tombstone then 'tombstone'
            when document.is_schema then 'control'
        end as no_event
    from checked
    lateral view posexplode(if(reject is null, documents, slice(documents, 1, 1))) numbered as row_index, document
)

select
    {{ event_head('ogg_json', row_index='row_index') }},
    cast(null as string) as source_name,
    cast(null as string) as source_type,
    {{ non_blank("array_join(slice(name_parts, 1, greatest(size(name_parts) - 2, 0)), '.')") }} as database_name,
    {{ non_blank("get(name_parts, size(name_parts) - 2)") }} as schema_name,
    {{ non_blank("get(name_parts, size(name_parts) - 1)") }} as table_name,
    -- for a table without a key, all columns are named
    case
        when event_type = 'row' and size(primary_keys) < size(coalesce(row_after, row_columns, row_before)) then primary_keys
        when operation = 'insert' and primary_keys is not null then array()
    end as key_columns,
    case operation
        when 'update' then row_before
        when 'delete' then coalesce(row_before, row_columns)
    end as `before`,
    case when operation in ('insert', 'update') then coalesce(row_after, row_columns) end as `after`,
    -- an update may contain only what changed
    case when event_type = 'row' then operation = 'update' end as is_partial,
    cast(null as string) as column_types,
    committed_at,
    captured_at,
    {{ non_blank('pos') }} as source_position,
    -- in a flattened row it can be a column
    if(row_columns is null, {{ non_blank('xid') }}, null) as transaction_id,
    cast(null as string) as ddl,
    {{ event_tail() }}
from classified
{% endmacro %}
