{#
    A field of an envelope's `source`; of a flattened row what the option add.fields made of it.

    Arguments:
        name (string): the field's name.
#}
{% macro _debezium_source(name) -%}
nullif(if(shape = 'flattened', flat_source.`{{ name }}`, payload.source.`{{ name }}`), '')
{%- endmacro %}

{# The database; Vitess's connector leaves it empty and names a keyspace, which is one for its clients. #}
{% macro _debezium_database() -%}
nullif(if(shape = 'flattened', flat_source.db, coalesce({{ non_blank('payload.source.db') }}, payload.source.keyspace)), '')
{%- endmacro %}

{#
    The fields of a flattened row's source, as _debezium_source() reads them, of its envelope
    `sent_…`, as `__ts_ms` is the envelope's own time, and `transaction_id`. The lambda binds `added`
    again, without the row's own columns: each look-up goes through the whole map.
#}
{% macro _debezium_flat_source() -%}
get(transform(
                    array(map_filter(added, (name, value) -> startswith(name, '__'))),
                    added -> struct(
                        {%- for name in ['name', 'connector', 'file', 'pos', 'row', 'gtid', 'lsn', 'scn', 'commit_lsn', 'change_lsn', 'event_serial_no', 'txId'] %}
                        {{ _debezium_flat(name) }} as `{{ name }}`,
                        {%- endfor %}
                        {%- for unit in ['ms', 'us', 'ns'] %}
                        added['__source_ts_{{ unit }}'] as ts_{{ unit }},
                        added['__ts_{{ unit }}'] as sent_{{ unit }},
                        {%- endfor %}
                        coalesce(added['__transaction_id'], if(map_contains_key(key_values, '__id'), null, added['__id'])) as transaction_id,
                        {{ _debezium_flat_database() }} as db,
                        {{ _debezium_flat_schema() }} as schema
                    )
                ), 0)
{%- endmacro %}

{# A field of a flattened row's source, as add.fields or add.headers name it. #}
{% macro _debezium_flat(name) -%}
coalesce(added['__source_{{ name }}'], added['__{{ name }}'])
{%- endmacro %}

{# The row, with metadata from the headers where it has none itself. #}
{% macro _debezium_added() -%}
if(
                size(headers) > 0 and flat_row is not null,
                map_concat(map_from_entries(cast(headers as array<struct<key: string, value: string>>)), flat_row),
                flat_row
            )
{%- endmacro %}

{# The table of a flattened row; the topic is <server>.<database or schema>.<table>. #}
{% macro _debezium_flat_table() -%}
coalesce(
                {{ non_blank("added['__source_table']") }},
                {{ non_blank("added['__table']") }},
                if(split_part(kafka_topic, '.', -3) != '', split_part(kafka_topic, '.', -1), null)
            )
{%- endmacro %}

{#
    The database and the schema of a flattened row. What it does not say stands in the name of the
    topic, <server>.<database or schema>.<table>, or, of SQL Server and Informix,
    <server>.<database>.<schema>.<table>: so tables of one name stay apart.
#}
{% macro _debezium_flat_database() -%}
coalesce(
                            {{ non_blank(_debezium_flat('db')) }},
                            {{ _debezium_flat('keyspace') }},
                            case
                                when {{ _debezium_flat('connector') }} in ('sqlserver', 'informix') then {{ _debezium_topic_part(3) }}
                                when not coalesce({{ _debezium_has_schemas() }}, false) and {{ _debezium_flat('schema') }} is null
                                    then {{ _debezium_topic_part(2) }}
                            end
                        )
{%- endmacro %}

{% macro _debezium_flat_schema() -%}
coalesce({{ _debezium_flat('schema') }}, case when {{ _debezium_has_schemas() }} then {{ _debezium_topic_part(2) }} end)
{%- endmacro %}

{% macro _debezium_has_schemas() -%}
{{ _debezium_flat('connector') }} in ('postgresql', 'oracle', 'sqlserver', 'db2', 'informix', 'yugabytedb')
{%- endmacro %}

{# A part of the topic's name, counted from its end, if the last part is the table and another one precedes it. #}
{% macro _debezium_topic_part(number) -%}
if(
                                    split_part(kafka_topic, '.', -1) = table_name and split_part(kafka_topic, '.', -{{ number + 1 }}) != '',
                                    split_part(kafka_topic, '.', -{{ number }}), null
                                )
{%- endmacro %}

{# The position in the source's log: file:position:row, lsn, scn, SQL Server's commit and change, or TiCDC's TSO. #}
{% macro _debezium_position() -%}
case
        when {{ _debezium_source('file') }} is not null
            then concat_ws(':', {{ _debezium_source('file') }}, {{ _debezium_source('pos') }}, {{ _debezium_source('row') }})
        when {{ _debezium_source('lsn') }} is null and {{ _debezium_source('commit_lsn') }} is not null then concat_ws(
            '/', {{ _debezium_source('commit_lsn') }}, {{ _debezium_source('change_lsn') }},
            {{ _debezium_source('event_serial_no') }}
        )
        else coalesce({{ _debezium_source('lsn') }}, {{ _debezium_source('scn') }}, {{ non_blank('payload.source.commit_ts') }})
    end
{%- endmacro %}

{# A field of the table change at row_index; CloudCanal has one object instead of an array. #}
{% macro _debezium_table_change(name) -%}
case
            when event_type = 'schema' then coalesce(
                get_json_object(payload.tableChanges, concat('$[', event.row_index, '].{{ name }}')),
                get_json_object(payload.tableChanges, '$.{{ name }}')
            )
        end
{%- endmacro %}

{# The fields that ExtractNewRecordState can add to a row, as alternatives of a regular expression. #}
{% macro _debezium_metadata() -%}
deleted|op|ts_ms|ts_us|ts_ns|id|total_order|data_collection_order|version|connector|name|snapshot|sequence|db|keyspace|shard|vgtid|schema|table|server_id|gtid|file|pos|row|thread|query|lsn|xmin|origin|origin_lsn|scn|commit_scn|start_scn|start_ts_ms|commit_ts_ms|scn_idx|lcr_position|rs_id|ssn|redo_thread|redo_sql|row_id|user_name|txSeq|commit_lsn|change_lsn|begin_lsn|event_serial_no|txId
{%- endmacro %}
