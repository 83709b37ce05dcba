{% macro avro_message(format, changes, without=[]) -%}
{%- set schema = fromjson(dts_avro_schema() if format == 'dts_avro' else drs_avro_schema()) -%}
{%- set record = {
    'version': 0, 'id': 1, 'sourceTimestamp': 1772352000, 'sourcePosition': '4@7', 'safeSourcePosition': '4@7',
    'sourceTxid': '', 'source': ['MySQL', '8.0'], 'operation': 'INSERT', 'objectName': 'shop.t',
    'tags': {'pk_uk_info': '{"PRIMARY":["id"]}'}, 'fields': [['id', 3], ['a', 253]], 'bornTimestamp': 1772352000456,
} if format == 'dts_avro' else {
    'version': '1.0', 'seqno': 7, 'shardId': 0, 'eventid': 'mysql-bin.000007:4', 'updateTimestamp': 1772352000123,
    'tableName': '"shop"."t"', 'operation': 'INSERT', 'columnCount': 2, 'fields': [['id', 4], ['a', 12]],
} -%}
{%- do record.update(changes) -%}
{%- do schema.update({'fields': schema.fields | rejectattr('name', 'in', without) | list}) -%}
X'{{ avro_datum(schema, record) }}'
{%- endmacro %}
