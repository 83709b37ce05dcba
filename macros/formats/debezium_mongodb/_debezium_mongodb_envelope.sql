{#
    The messages with value and key read as JSON, by the one evaluation of from_json. Each may have
    its schema beside it: what stands bare is put below `payload` too. A message without a source, which is
    no change, is also read as a map, `flat.payload`: its fields tell what it is.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.

    Returns: see json_envelope(); `message.payload`, `flat.payload`, `kafka_key.payload`.
#}
{% macro _debezium_mongodb_envelope(messages) %}
{#- a key may be something else, or not JSON at all -#}
{%- set key = 'cast(key as string)' -%}
{%- set value_below_payload = _debezium_mongodb_below_payload('json') -%}
{{ json_envelope(
    messages,
    "payload: struct<
        op: string, before: string, after: string, patch: string, filter: string,
        updateDescription: struct<
            updatedFields: string, removedFields: array<string>,
            truncatedArrays: array<struct<field: string, size: int>>
        >,
        ts_ms: string, ts_us: string, ts_ns: string, transaction: struct<id: string>,
        source: struct<
            connector: string, name: string, ts_ms: string, db: string, collection: string, ord: string,
            lsid: string, txnNumber: string, wallTime: string
        >,
        status: string, id: string
    >",
    strict=true,
    message_text=value_below_payload,
    also=[
        ('flat', 'struct<payload: map<string, string>>', value_below_payload,
            "not contains(json, '\"source\"')"),
        ('kafka_key', 'struct<payload: struct<id: string>>', _debezium_mongodb_below_payload(key),
            "json_object_keys(" ~ key ~ ") is not null
            and (not " ~ has_payload(key) ~ " or " ~ key ~ " rlike r'\"payload\"\\s*+:\\s*+[{]')"),
    ]
) }}
{% endmacro %}

{% macro _debezium_mongodb_below_payload(json) -%}
if({{ has_payload(json) }}, {{ json }}, concat('{"payload":', {{ json }}, '}'))
{%- endmacro %}
