{#
    The messages read as JSON, by the one evaluation of from_json: Canal-JSON as `message`, Simple as `simple`.

    Arguments:
        messages (string): a relation or CTE with bronze's columns.

    Returns: see json_envelope().
#}
{% macro _ticdc_envelope(messages) -%}
{{ json_envelope(
    messages,
    "type: string, `database`: string, `table`: string, pkNames: array<string>,
    data: array<map<string, string>>, old: array<map<string, string>>, mysqlType: string,
    es: string, ts: string, sql: string, payload: string,
    _tidb: struct<commitTs: string, watermarkTs: string, onlyHandleKey: string, claimCheckLocation: string>",
    bare_decimals='usually',
    strict=true,
    message_text="if(" ~ _ticdc_is_simple('json') ~ ", '{}', json)",
    also=[(
        'simple',
        'struct<type: string, `database`: string, `table`: string, data: map<string, string>,
        old: map<string, string>, commitTs: string, buildTs: string, sql: string,
        handleKeyOnly: string, claimCheckLocation: string, tableSchema: struct<`schema`: string, `table`: string,
        columns: array<struct<name: string, dataType: struct<mysqlType: string, length: string, decimal: string,
        elements: array<string>, unsigned: string>>>,
        indexes: array<struct<primary: string, columns: array<string>>>>>',
        'json', _ticdc_is_simple('json')
    )]
) }}
{%- endmacro %}
