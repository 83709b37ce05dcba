{% macro parse_dms_json(messages, operations) %}
with envelope as (
    {{ json_envelope(
        messages,
        "data: map<string, string>, `before-image`: map<string, string>, control: string,
        metadata: struct<`record-type`: string, operation: string, `schema-name`: string, `table-name`: string,
        `timestamp`: string, `commit-timestamp`: string, `stream-position`: string, `transaction-id`: string,
        `transaction-record-id`: string>",
        bare_decimals='seldom',
        strict=true
    ) }}
),

message_fields as (
    select
        * except (message),
        message.data,
        message.`before-image` as before_image,
        nullif({{ non_blank('message.control') }}, '{}') as control,
        lower(message.metadata.`record-type`) as record_type,
        message.metadata.operation as stated_operation,
        {{ non_blank('message.metadata.`schema-name`') }} as schema_name,
        {{ non_blank('message.metadata.`table-name`') }} as table_name,
        {{ non_blank('message.metadata.`commit-timestamp`') }} as committed_text,
        {{ non_blank('message.metadata.`timestamp`') }} as captured_text,
        {{ non_blank('message.metadata.`stream-position`') }} as stream_position,
        {{ non_blank('message.metadata.`transaction-id`') }} as transaction_id,
        {{ non_blank('message.metadata.`transaction-record-id`') }} as record_number
    from envelope
),

timed as (
    select
        *,
        {{ decode_timestamp('committed_text', 'text', "'UTC'") }} as committed_at,
        {{ decode_timestamp('captured_text', 'text', "'UTC'") }} as captured_at
    from message_fields
),

coded as (
    {{ coded_events('timed', operations, 'dms_json', 'lower(stated_operation)', 'cast(null as string)') }}
),

classified as (
    select
        *,
        case
            when is_tombstone then 'tombstone'
            -- DMS's own records: exceptions, status, history
            when startswith(lower(table_name), 'awsdms_') then 'control'
            when {{ _dms_json_is_of_task() }} then 'control'
        end as no_event,
        {{ first_reject([
            ('missing_field', "'operation is missing'", "stated_operation is null"),
            non_scalar_names(['table_name', 'schema_name']),
            ('unknown_operation', "concat('operation is ', stated_operation)",
                "code is null and not coalesce(" ~ _dms_json_is_of_task() ~ ", false)"),
            ('unknown_operation', "concat('record-type is ', record_type, ', operation is ', stated_operation)",
                "record_type != if(event_type = 'row', 'data', 'control')"),
            ('missing_field', "'table-name is missing'", needs_table() ~ " and table_name is null"),
            ('missing_field', "'data holds no columns'",
                "event_type = 'row' and " ~ has_no_columns('data')),
            ('wrong_type', "concat('commit-timestamp is ', committed_text)",
                "committed_text is not null and committed_at is null"),
            ('wrong_type', "concat('timestamp is ', captured_text)",
                "captured_text is not null and captured_at is null"),
        ]) }} as reject
    from coded
),

defined as (
    {{ _dms_json_definitions('classified') }}
)

select
    {{ event_head('dms_json') }},
    cast(null as string) as source_name,
    cast(null as string) as source_type,
    cast(null as string) as database_name,
    schema_name,
    table_name,
    case when column_types is not null then coalesce(details.`table-def`.`primary-key`, array()) end as key_columns,
    case operation
        -- Oracle's image before holds only what changed, perhaps one column of a key: the others are then
        -- taken from `data`. If both have a value in common, it is not such an image
        when 'update' then if(
            size(array_intersect(map_entries(before_image), map_entries(data))) = 0,
            if(size(before_image) > 0, map_concat(data, before_image), null),
            before_image
        )
        when 'delete' then data
    end as `before`,
    case when operation != 'delete' then data end as `after`,
    case when event_type = 'row' then false end as is_partial,
    column_types,
    committed_at,
    captured_at,
    -- all changes of a transaction may have one position
    concat(stream_position, coalesce(concat(':', record_number), '')) as source_position,
    transaction_id,
    case when event_type != 'row' then control end as ddl,
    {{ event_tail(message_number='try_cast(record_number as bigint)') }}
from defined
{% endmacro %}

{# Whether a control message concerns the task and no table: that it was restarted. #}
{% macro _dms_json_is_of_task() -%}
(record_type = 'control' and table_name is null and code is null)
{%- endmacro %}
