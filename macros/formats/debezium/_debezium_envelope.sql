{#
    Debezium's messages read as JSON, key included, by the one evaluation of from_json. There are
    four shapes: the envelope and the flattened row, each bare or below `payload` with its schema.

    What stands bare is put below `payload` too, so that an envelope always is `message.payload`.
    A flattened row is read as a map: `flat` bare, `wrapped.payload` below the schema. A row may
    have columns of any name, so the text alone cannot always say which shape it is: whatever is not
    certainly an envelope is read both ways, and parse_debezium() decides by what was read.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.
        carried (list of [name, sql]): see json_envelope().
#}
{% macro _debezium_envelope(messages, carried=[]) %}
{%- set decimal = 'scale: string, `connect.decimal.precision`: string' -%}
{%- set column -%}
field: string, type: string, name: string,
    parameters: struct<{{ decimal }}, length: string, `__debezium.source.column.type`: string>,
    items: struct<type: string, name: string, parameters: struct<{{ decimal }}>>
{%- endset -%}
{#- Inside of a JSON string each quote has a backslash in front: these are names of fields. A row may -#}
{#- have a column `version`, `op` or `before`, but none that is an object as an image is. -#}
{#- A search costs by how often the text's first character comes: `{` is rare, a quote is not. -#}
{%- set is_envelope -%}
(
        (
            startswith(json, '{"before":{') or startswith(json, '{"before":null,"after":{')
            or startswith(json, '{"before":null,"after":null,"source":{')
            or (startswith(json, '{"schema":{"type":"struct","fields":[') and contains(json, '{"before":'))
        )
        and contains(json, '{"version":"') and contains(json, '"op":"')
    )
{%- endset -%}
{%- set is_wrapped = has_payload('json') -%}
{#- Confluent's JsonSchemaConverter puts a zero and a schema's number of four bytes before what JsonConverter writes -#}
{%- set without_schema_id -%}
(
            select
                * except (key, value)
                {%- for name in ['key', 'value'] %},
                if(startswith({{ name }}, x'00'), substr({{ name }}, 6), {{ name }}) as {{ name }}
                {%- endfor %}
            from {{ messages }}
        )
{%- endset -%}
{#- a null message may be a deletion, whose key is read -#}
{%- set bare_below_payload -%}
case
                when json is null then if(array_contains(headers.key, '__op'), '{}', null)
                when {{ is_wrapped }} then json
                else concat('{"payload":', json, '}')
            end
{%- endset -%}
{%- set has_no_schema -%}
not startswith(json, '{"schema":{"type":"struct","fields":[')
{%- endset -%}
{#- ByLogicalTableRouter adds the name of the physical table to the key: that is not a column -#}
{%- set key_text -%}
if(contains(cast(key as string), '__dbz__physicalTableIdentifier'), regexp_replace(cast(key as string), r',\s*"__dbz__physicalTableIdentifier"\s*:\s*"(?:[^"\\]|\\.)*+"', ''), cast(key as string))
{%- endset -%}
{#- a key may be a single value, with or without its schema (TiCDC writes the schema last); a column `schema` is no object -#}
{#- TiCDC has both below `payload` without a schema too (`debezium-disable-schema`); a key's column can have that name -#}
{%- set is_wrapped_key -%}
(
                array_sort(json_object_keys(cast(key as string))) = array('payload', 'schema')
                and cast(key as string) rlike r'"schema"\s*+:\s*+(?:[{]|null)'
                or cast(key as string) rlike r'^\s*+\{\s*+"{{ payload_behind_id() }}'
                or startswith(cast(key as string), '{"payload":{') and startswith(json, '{"payload":{') and contains(json, '"connector":"TiCDC"')
            )
{%- endset -%}
{{ json_envelope(
    without_schema_id,
    "schema: struct<fields: array<struct<" ~ column ~ ", fields: array<struct<" ~ column ~ ">>>>>,
    payload: struct<
        op: string, before: map<string, string>, after: map<string, string>,
        ts_ms: string, ts_us: string, ts_ns: string, transaction: struct<id: string>,
        source: struct<
            version: string, connector: string, name: string, ts_ms: string, ts_us: string, ts_ns: string,
            db: string, keyspace: string, schema: string, `table`: string, file: string, pos: string, `row`: string,
            gtid: string, snapshot: string, lsn: string, scn: string, commit_lsn: string, change_lsn: string,
            event_serial_no: string, txId: string, commit_ts: string, value_capture_type: string
        >,
        databaseName: string, schemaName: string, ddl: string, tableChanges: string,
        status: string, id: string
    >",
    message_text=bare_below_payload,
    carried=carried,
    also=[
        ('flat', 'map<string, string>', 'json', 'not ' ~ is_envelope ~ ' and ' ~ has_no_schema),
        ('wrapped', 'struct<payload: map<string, string>>', 'json', is_wrapped ~ ' and not ' ~ is_envelope),
        ('flat_key', 'map<string, string>', key_text,
            'json_object_keys(cast(key as string)) is not null and not (' ~ is_wrapped_key ~ ')'),
        ('wrapped_key', 'struct<payload: map<string, string>>', key_text,
            is_wrapped_key ~ " and cast(key as string) rlike r'\"payload\"\\s*+:\\s*+[{]'"),
    ]
) }}
{% endmacro %}
