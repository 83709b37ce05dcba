{#
    What each message tells: a change, a schema change, a transaction's mark, a heartbeat or a flattened row.

    Arguments:
        envelope (string): a CTE with the columns of _debezium_envelope().
        is_avro (boolean): the messages are what _debezium_avro_as_json() gives.

    Returns: a select of the message's columns, and
        payload (struct), schema_fields (array): the envelope, and the fields of its schema part
        key_values (map<string, string>): the columns of the key
        added (map<string, string>): a flattened row with the metadata of its headers
        shape (string): see _debezium_shape()
        op (string): the code of the operation
        image (map<string, string>): the row after the change, with a flattened row's metadata still in it
        table_name (string)
#}
{% macro _debezium_told(envelope, is_avro) -%}
{#- a deletion as ExtractNewRecordState sends it by default, without a value or with JSON's null; a tombstone does not -#}
{#- have this header, nor does a deletion that may be of another table than its row seems to be -#}
{%- set is_deletion -%}
(
                coalesce(array_contains(headers.key, '__op'), false)
                and (is_tombstone or (
                    unreadable is null and not mistyped and message.payload is null and flat is null
                    and coalesce(wrapped_key.payload, flat_key) is not null
                ))
            )
{%- endset -%}
with parts as (
    -- no field is repeated: Spark does not compile a step with more than a hundred, including nested ones
    select
        * except (message, flat, wrapped, flat_key, wrapped_key, is_tombstone{% if is_avro %}, unreadable{% endif %}),
        is_tombstone and not {{ is_deletion }} as is_tombstone,
        {%- if is_avro %}
        coalesce(avro_reject.reason, unreadable) as unreadable,
        {%- endif %}
        message.payload,
        message.schema.fields as schema_fields,
        coalesce(wrapped_key.payload, flat_key) as key_values,
        case
            -- a row that was flattened to nothing: only its key remains
            when {{ is_deletion }}
                then coalesce(wrapped_key.payload, flat_key, cast(map() as map<string, string>))
            -- a row with columns named schema and payload is not wrapped, nor is one of id and payload whose key is bare
            when wrapped.payload is not null and (flat is null or size(flat) = 2)
                and not (wrapped_key is null and coalesce(map_contains_key(flat, 'id'), false))
                then wrapped.payload
            else flat
        end as flat_row
    from {{ envelope }}
),

shaped as (
    select
        * except (flat_fields),
        {{ _debezium_shape() }} as shape
    from (
        select
            *,
            array_join(map_keys(flat_row), ',') as flat_fields,
            {{ _debezium_added() }} as added
        from parts
    )
)

select
    * except (flat_row),
    case shape
        when 'change' then payload.op
        when 'schema' then 'ddl'
        when 'transaction' then payload.status
        when 'heartbeat' then 'heartbeat'
        when 'flattened' then case coalesce(added['__deleted'], 'false')
            when 'true' then 'd'
            when 'false' then coalesce(added['__op'], 'upsert')
            else concat('__deleted ', added['__deleted'])
        end
    end as op,
    -- still with the metadata of a flattened row
    if(shape = 'flattened', flat_row, payload.after) as image,
    if(shape = 'flattened', {{ _debezium_flat_table() }}, {{ non_blank('payload.source.`table`') }}) as table_name
from shaped
{%- endmacro %}
