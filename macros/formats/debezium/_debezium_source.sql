{#
    A field of an envelope's `source`; of a flattened row what the option add.fields made of it.

    Arguments:
        name (string): the field's name.
#}
{% macro _debezium_source(name) -%}
nullif(if(shape = 'flattened', flat_source.`{{ name }}`, payload.source.`{{ name }}`), '')
{%- endmacro %}

{#
    The fields of a flattened row's source, as _debezium_source() reads them. `__ts_ms` is not among
    them: it is the envelope's own time.
#}
{% macro _debezium_flat_source() -%}
struct(
                    {%- for name in ['name', 'connector', 'db', 'schema', 'file', 'pos', 'row', 'gtid', 'lsn', 'scn', 'commit_lsn', 'change_lsn', 'event_serial_no', 'txId'] %}
                    coalesce(flat_row['__source_{{ name }}'], flat_row['__{{ name }}']) as `{{ name }}`,
                    {%- endfor %}
                    {%- for name in ['ts_ms', 'ts_us', 'ts_ns'] %}
                    flat_row['__source_{{ name }}'] as {{ name }}{{ ',' if not loop.last }}
                    {%- endfor %}
                )
{%- endmacro %}

{# The position in the source's log: file:position:row, lsn, scn, or SQL Server's commit and change. #}
{% macro _debezium_position() -%}
case
        when {{ _debezium_source('file') }} is not null
            then concat_ws(':', {{ _debezium_source('file') }}, {{ _debezium_source('pos') }}, {{ _debezium_source('row') }})
        when {{ _debezium_source('commit_lsn') }} is not null then concat_ws(
            '/', {{ _debezium_source('commit_lsn') }}, {{ _debezium_source('change_lsn') }},
            {{ _debezium_source('event_serial_no') }}
        )
        else coalesce({{ _debezium_source('lsn') }}, {{ _debezium_source('scn') }})
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
deleted|op|ts_ms|ts_us|ts_ns|version|connector|name|snapshot|sequence|db|schema|table|server_id|gtid|file|pos|row|thread|query|lsn|xmin|scn|commit_scn|commit_lsn|change_lsn|event_serial_no|txId
{%- endmacro %}
