{% macro debezium_avro_schemas() -%}
{%- set source -%}
{"type": "record", "name": "Source", "namespace": "io.debezium.connector.mysql", "connect.name": "io.debezium.connector.mysql.Source", "fields": [
    {"name": "version", "type": "string"}, {"name": "connector", "type": "string"}, {"name": "name", "type": "string"},
    {"name": "ts_ms", "type": "long"}, {"name": "snapshot", "type": [{"type": "string", "connect.default": "false"}, "null"], "default": "false"},
    {"name": "db", "type": "string"}, {"name": "table", "type": ["null", "string"], "default": null},
    {"name": "file", "type": "string"}, {"name": "pos", "type": "long"}, {"name": "row", "type": "int"}
]}
{%- endset -%}
{%- set told = ['3.5.0.Final', 'mysql', 's', 1772352000000, 'false', 'd', 't', 'b.1', 7, 0] -%}
{%- set change = {'source': told, 'op': 'c', 'ts_ms': {'long': 1772352000456}} -%}
{%- set columns = '{"name": "id", "type": "int"}, {"name": "a", "type": ["null", "string"], "default": null}' -%}
{%- set values -%}
{"name": "id", "type": "int"},
{"name": "d", "type": ["null", {"type": "bytes", "scale": 2, "precision": 10, "connect.version": 1, "connect.parameters": {"scale": "2", "connect.decimal.precision": "10"}, "connect.name": "org.apache.kafka.connect.data.Decimal", "avro.logicalType": "decimal"}], "default": null},
{"name": "h", "type": ["null", {"type": "bytes", "scale": 0, "precision": 64, "connect.parameters": {"scale": "0"}, "connect.name": "org.apache.kafka.connect.data.Decimal", "avro.logicalType": "decimal"}], "default": null},
{"name": "v", "type": ["null", {"type": "record", "name": "VariableScaleDecimal", "namespace": "io.debezium.data", "connect.name": "io.debezium.data.VariableScaleDecimal", "fields": [{"name": "scale", "type": "int"}, {"name": "value", "type": "bytes"}]}], "default": null},
{"name": "w", "type": ["null", "io.debezium.data.VariableScaleDecimal"], "default": null},
{"name": "f", "type": ["null", "double"], "default": null},
{"name": "u", "type": ["null", {"type": "long", "connect.parameters": {"__debezium.source.column.type": "BIGINT UNSIGNED"}}], "default": null},
{"name": "s", "type": ["null", {"type": "int", "connect.type": "int16"}], "default": null},
{"name": "day", "type": ["null", {"type": "int", "connect.version": 1, "connect.name": "io.debezium.time.Date"}], "default": null},
{"name": "at", "type": ["null", {"type": "long", "connect.version": 1, "connect.name": "io.debezium.time.MicroTimestamp"}], "default": null},
{"name": "ms", "type": ["null", {"type": "long", "connect.version": 1, "connect.name": "org.apache.kafka.connect.data.Timestamp", "avro.logicalType": "timestamp-millis"}], "default": null},
{"name": "b", "type": ["null", "bytes"], "default": null},
{"name": "bits", "type": ["null", {"type": "bytes", "connect.version": 1, "connect.parameters": {"length": "5"}, "connect.name": "io.debezium.data.Bits"}], "default": null},
{"name": "y", "type": ["null", "boolean"], "default": null},
{"name": "l", "type": ["null", {"type": "array", "items": ["null", {"type": "int", "connect.name": "io.debezium.time.Date"}]}], "default": null},
{"name": "m", "type": ["null", {"type": "map", "values": ["null", "string"]}], "default": null}
{%- endset -%}
{%- set envelope -%}
{"type": "record", "name": "Envelope", "namespace": "s.d.t", "fields": [
    {"name": "before", "type": ["null", {"type": "record", "name": "Value", "fields": [COLUMNS]}], "default": null},
    {"name": "after", "type": ["null", "Value"], "default": null},
    {"name": "source", "type": {{ source }}}, {"name": "op", "type": "string"}, {"name": "ts_ms", "type": ["null", "long"], "default": null}
]}
{%- endset -%}
{%- set row = '{"type": "record", "name": "Value", "namespace": "s.d.t", "fields": [' ~ columns ~ ', {"name": "__deleted", "type": ["null", "string"]}, {"name": "__op", "type": ["null", "string"]}, {"name": "__table", "type": ["null", "string"]}]}' -%}
{{ return([
    {
        'name': 'key', 'header': '0000000001', 'record': {'id': 1},
        'schema': '{"type": "record", "name": "Key", "namespace": "s.d.t", "fields": [{"name": "id", "type": "int"}]}',
    },
    {'name': 'row', 'header': '0000000002', 'record': change, 'schema': envelope | replace('COLUMNS', columns)},
    {'name': 'values', 'header': '0000000003', 'record': change, 'schema': envelope | replace('COLUMNS', values)},
    {'name': 'apicurio', 'header': '000000000000000002', 'record': change, 'schema': envelope | replace('COLUMNS', columns)},
    {'name': 'flat', 'header': '0000000005', 'record': {'__table': 't'}, 'schema': '["null", ' ~ row ~ ']'},
    {
        'name': 'ddl', 'header': '0000000006', 'record': {'source': told, 'databaseName': 'd'},
        'schema': '{"type": "record", "name": "SchemaChangeValue", "namespace": "io.debezium.connector.mysql", "fields": [{"name": "source", "type": ' ~ source ~ '}, {"name": "databaseName", "type": ["null", "string"]}, {"name": "ddl", "type": ["null", "string"]}, {"name": "tableChanges", "type": {"type": "array", "items": {"type": "record", "name": "Change", "fields": [{"name": "type", "type": "string"}, {"name": "id", "type": "string"}]}}}]}',
    },
    {
        'name': 'transaction', 'header': '0000000007', 'record': {'ts_ms': 1772352000456},
        'schema': '{"type": "record", "name": "TransactionMetadataValue", "namespace": "io.debezium.connector.common", "fields": [{"name": "status", "type": "string"}, {"name": "id", "type": "string"}, {"name": "event_count", "type": ["null", "long"]}, {"name": "data_collections", "type": ["null", {"type": "array", "items": "string"}]}, {"name": "ts_ms", "type": "long"}]}',
    },
    {
        'name': 'heartbeat', 'header': '0000000008', 'record': {'ts_ms': 1772352000456},
        'schema': '{"type": "record", "name": "Heartbeat", "namespace": "io.debezium.connector.common", "fields": [{"name": "ts_ms", "type": "long"}]}',
    },
    {'name': 'text', 'header': '0000000009', 'record': none, 'schema': '"string"'},
]) }}
{%- endmacro %}
