"""One logical change of each kind, as each dialect writes it."""

import json
from collections.abc import Callable
from typing import Any

from avro import DRS_HEADER, encode, schema_of
from bronze_rows import MILLIS
from connect_avro import Registry, avro_schema

ROW = {"id": "1", "name": '华为 "a" \\ \'🙂\n', "none": None}
OTHER = {**ROW, "name": ""}
MOVED = {**ROW, "id": "2"}
DDL = "alter table `orders`\n add column x int"
CHANGES: dict[str, tuple[dict[str, Any] | None, dict[str, Any] | None]] = {
    "snapshot": (None, ROW),
    "insert": (None, ROW),
    "update": (ROW, OTHER),
    "key_change": (ROW, MOVED),
    "delete": (ROW, None),
}
# A key and a value; the value of a binary dialect is bytes.
Message = tuple[dict[str, Any] | None, dict[str, Any]]
BinaryMessage = tuple[bytes | None, bytes]
Writer = Callable[[str, Any, Any], list[Message] | list[BinaryMessage]]


def canal(change: str, before: Any, after: Any) -> list[Message]:
    """Canal's flat message; `old` holds the old values of what changed."""
    kinds = {"snapshot": "INIT", "key_change": "UPDATE", "ddl": "ALTER"}
    value = {
        "type": kinds.get(change, change.upper()), "database": "shop", "table": "orders",
        "es": MILLIS, "ts": MILLIS, "isDdl": change == "ddl", "sql": DDL if change == "ddl" else "",
        "mysqlType": {"id": "int"}, "pkNames": ["id"], "data": None, "old": None,
    }  # fmt: skip
    if change != "ddl":
        value["data"] = [after or before]
        if before and after:
            value["old"] = [{name: before[name] for name in before if before[name] != after[name]}]
    return [(None, value)]


def drs_json(change: str, before: Any, after: Any) -> list[Message]:
    """DRS's message: like Canal's, also with a deleted row in `data`."""
    value = canal(change, before, after)[0][1] | {"id": 7}
    if change == "ddl":
        value["type"] = "DDL"
    return [(None, value)]


def drs_mongo(change: str, before: Any, after: Any) -> list[Message]:
    """DRS's message for a document with the key `_id`; an update replaces the document."""
    where = {"_id": int((after or before)["id"])}
    row = where | {name: value for name, value in (after or {}).items() if name != "id"}
    value = {
        "op": {"snapshot": "INSERT"}.get(change, change.upper()), "db": "shop", "coll": "orders",
        "value": json.dumps(row), "where": json.dumps(where) if before and after else None,
        "recordType": {"snapshot": "doc", "update": "replace", "delete": "doc"}.get(change, change),
        "es": MILLIS, "ts": MILLIS,
    }  # fmt: skip
    return [(None, value)]


def oceanbase_default(change: str, before: Any, after: Any) -> list[Message]:
    """OMS's message with both images."""
    kinds = {"snapshot": "ROW", "key_change": "UPDATE"}
    if change == "ddl":
        after = {"ddl": DDL}
    value = {
        "prevStruct": before, "postStruct": after, "recordType": kinds.get(change, change.upper()),
        "allMetaData": {
            "record_primary_key": "id", "dbType": "OB_MYSQL", "db": "tenant.shop",
            "table_name": "orders", "timestamp": str(MILLIS // 1000),
        },
    }  # fmt: skip
    return [(None, value)]


def debezium(change: str, before: Any, after: Any) -> list[Message]:
    """Debezium's envelopes: a key change is a delete and a create."""
    source = {
        "version": "3.0", "connector": "mysql", "name": "s", "db": "shop", "table": "orders",
        "ts_ms": MILLIS,
    }  # fmt: skip
    if change == "ddl":
        table = {"type": "ALTER", "id": '"shop"."orders"'}
        value = {"source": source, "databaseName": "shop", "ddl": DDL, "tableChanges": [table]}
        return [(None, value)]
    if change == "key_change":
        return debezium("delete", before, None) + debezium("insert", None, after)
    op = {"snapshot": "r", "insert": "c", "update": "u", "delete": "d"}[change]
    key = {"id": (after or before)["id"]}
    return [(key, {"op": op, "before": before, "after": after, "source": source, "ts_ms": MILLIS})]


def _fields(kinds: dict[str, str]) -> list[dict[str, Any]]:
    return [{"field": name, "type": kind, "optional": True} for name, kind in kinds.items()]


_TEXTS = _fields(dict.fromkeys(ROW, "string"))
_CONNECT_ROW = {"type": "struct", "name": "s.Value", "optional": True, "fields": _TEXTS}
_CONNECT_SOURCE = {
    "type": "struct", "name": "s.Source", "field": "source",
    "fields": _fields(dict.fromkeys(("version", "connector", "name", "db", "table"), "string")
                      | {"ts_ms": "int64"}),
}  # fmt: skip
CONNECT_KEY = {"type": "struct", "name": "s.Key", "fields": _TEXTS[:1]}
CONNECT_ENVELOPE = {
    "type": "struct", "name": "s.Envelope",
    "fields": [
        {**_CONNECT_ROW, "field": "before"}, {**_CONNECT_ROW, "field": "after"}, _CONNECT_SOURCE,
        *_fields({"op": "string", "ts_ms": "int64"}),
    ],
}  # fmt: skip
CONNECT_DDL = {
    "type": "struct", "name": "s.SchemaChangeValue",
    "fields": [
        _CONNECT_SOURCE, *_fields({"databaseName": "string", "ddl": "string"}),
        {"field": "tableChanges", "type": "array", "items": {
            "type": "struct", "name": "s.Change",
            "fields": _fields({"type": "string", "id": "string"}),
        }},
    ],
}  # fmt: skip
# Ids follow this order, whichever messages are written.
REGISTRY = Registry(first_id=1_001)
for _one in (CONNECT_KEY, CONNECT_ENVELOPE, CONNECT_DDL):
    REGISTRY.header(json.dumps(avro_schema(_one)))


def debezium_avro(change: str, before: Any, after: Any) -> list[BinaryMessage]:
    """Debezium's JSON as Avro, with the ids of schemas in front."""
    return [
        (
            REGISTRY.message(CONNECT_KEY, key) if key else None,
            REGISTRY.message(CONNECT_DDL if change == "ddl" else CONNECT_ENVELOPE, value),
        )
        for key, value in debezium(change, before, after)
    ]


def oceanbase_default_extended(change: str, before: Any, after: Any) -> list[Message]:
    """OMS's message with the types in both images."""
    ((key, value),) = oceanbase_default(change, before, after)
    for image in ("prevStruct", "postStruct"):
        if value[image] and change != "ddl":
            types = {name: {"schemaType": "VARCHAR"} for name in value[image]}
            value[image] = {**value[image], "__light_type": types}
    return [(key, value)]


def oceanbase_dataworks(change: str, before: Any, after: Any) -> list[Message]:
    """OMS's message with a schema and a payload."""
    kinds = {"snapshot": "ROW", "key_change": "UPDATE", "ddl": "ALTER"}
    source = {"dbType": "OB_MYSQL", "dbName": "tenant.shop", "table": "orders"}
    payload = {
        "op": kinds.get(change, change.upper()), "scn": "null",
        "before": before and {"data": before}, "after": after and {"data": after},
        "timestamp": {"eventTime": MILLIS, "systemTime": MILLIS, "checkpointTime": MILLIS // 1000},
        "ddl": {"text": DDL} if change == "ddl" else None,
    }  # fmt: skip
    schema = {"source": source, "column": [{"name": "id", "type": "INT"}], "pk": ["id"]}
    return [(None, {"version": "2.0", "schema": schema, "payload": payload})]


def oceanbase_shareplex(change: str, before: Any, after: Any) -> list[Message]:
    """OMS's SharePlex message; an update has only what changed."""
    value = {
        "data": after or before,
        "meta": {
            "op": {"delete": "del"}.get(change, "upd" if before else "ins"),
            "table": "shop.orders", "time": "2026-03-01T08:00:00",
        },
    }  # fmt: skip
    if before and after:
        value["data"] = changed_columns(before, after)
        value["key"] = before
    return [(None, value)]


def changed_columns(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: after[name] for name in after if after[name] != before[name]}


def cloudcanal_json(change: str, before: Any, after: Any) -> list[Message]:
    """CloudCanal's message; `before` holds the old rows."""
    value = {
        "action": {"key_change": "UPDATE", "ddl": "ALTER"}.get(change, change.upper()),
        "entryType": "ROWDATA", "isDdl": change == "ddl", "sql": DDL if change == "ddl" else "",
        "bid": 0, "db": "shop", "schema": "", "table": "orders",
        "pks": [] if change == "ddl" else ["id"],
        "execTs": MILLIS, "sendTs": MILLIS, "dbValType": {"id": "int"}, "before": [], "data": [],
    }  # fmt: skip
    if change != "ddl":
        value["data"] = [after or before]
        value["before"] = [before] if before and after else []
    return [(None, value)]


def ckafka_format_one(change: str, before: Any, after: Any) -> list[Message]:
    """CKafka's row in upper case; its DDL is Canal's."""
    if change == "ddl":
        return canal(change, before, after)
    return [(None, {
        "TYPE": "D" if not after else "U" if before else "I", "DATABASE": "shop", "TABLE": "orders",
        "TIME": "20260301080000", "NEW_VALUES": after, "OLD_VALUES": before,
    })]  # fmt: skip


def dataworks_streamx(change: str, before: Any, after: Any) -> list[Message]:
    """StreamX's message: an update is one record, but a key change comes in two halves here."""
    if change == "key_change":
        ((key, one),) = dataworks_streamx("update", before, None)
        ((_, other),) = dataworks_streamx("update", None, after)
        one["payload"]["op"] = "UPDATE_BEFOR"
        return [(key, one), (key, other)]
    payload = {
        "op": {"ddl": "ALTER", "update": "UPDATE_AFTER"}.get(change, change.upper()),
        "before": before and {"dataColumn": before}, "after": after and {"dataColumn": after},
        "timestamp": {"eventTime": MILLIS, "systemTime": MILLIS}, "sequenceId": "1",
        "ddl": {"text": DDL} if change == "ddl" else None,
    }  # fmt: skip
    source = {"dbType": "MySQL", "dbName": "shop", "tableName": "orders"}
    columns = [{"name": "id", "type": "LONG"}]
    schema = {"source": source, "dataColumn": columns, "primaryKey": ["id"]}
    return [(None, {"version": "0.0.1", "schema": schema, "payload": payload})]


def dms_json(change: str, before: Any, after: Any) -> list[Message]:
    """DMS's message for a row; DDL is a control message with the table's new definition."""
    operations = {"snapshot": "load", "key_change": "update", "ddl": "add-column"}
    value: dict[str, Any] = {"metadata": {
        "timestamp": "2026-03-01T08:00:00.000000Z",
        "record-type": "control" if change == "ddl" else "data",
        "operation": operations.get(change, change), "partition-key-type": "schema-table",
        "schema-name": "shop", "table-name": "orders", "transaction-id": 7,
        "transaction-record-id": 1, "commit-timestamp": "2026-03-01T08:00:00.000000Z",
        "stream-position": "mysql-bin-changelog.000007:4",
    }}  # fmt: skip
    if change == "ddl":
        columns = {"id": {"type": "INT32", "nullable": False}}
        return [(None, {"control": {"table-def": {"columns": columns}}, **value})]
    images = {"data": after or before} | ({"before-image": before} if before and after else {})
    return [(None, images | value)]


def ogg_json(change: str, before: Any, after: Any) -> list[Message]:
    """GoldenGate's document for an operation."""
    value = {
        "table": "shop.orders", "op_type": "U" if before and after else "I" if after else "D",
        "op_ts": "2026-03-01 08:00:00.000000", "current_ts": "2026-03-01T08:00:00.000000",
        "pos": "00000000010000001729", "primary_keys": ["id"],
    }  # fmt: skip
    images = {"before": before, "after": after}
    return [(None, value | {name: image for name, image in images.items() if image})]


def maxwell(change: str, before: Any, after: Any) -> list[Message]:
    """Maxwell's message: `old` has what an update changed; Kafka's key names the key columns."""
    place = {"database": "shop", "table": "orders"}
    if change == "ddl":
        return [(None, {"type": "table-alter", **place, "ts": MILLIS, "sql": DDL})]
    kinds = {"snapshot": "bootstrap-insert", "key_change": "update"}
    value = {
        **place, "type": kinds.get(change, change), "ts": MILLIS // 1000, "xid": 7, "commit": True,
        "data": after or before,
    }  # fmt: skip
    if before and after:
        value["old"] = changed_columns(after, before)
    return [({**place, "pk.id": value["data"]["id"]}, value)]


def debezium_mongodb(change: str, before: Any, after: Any) -> list[Message]:
    """Debezium's envelope with a document as a text of JSON; Kafka's key has its `_id`."""
    key = int((after or before)["id"])
    document = after and json.dumps(
        {"_id": key} | {name: value for name, value in after.items() if name != "id"}
    )
    source = {
        "connector": "mongodb", "name": "s", "db": "shop", "collection": "orders", "ord": 1,
        "ts_ms": MILLIS,
    }  # fmt: skip
    op = {"snapshot": "r", "insert": "c", "update": "u", "delete": "d"}[change]
    value = {"op": op, "before": None, "after": document, "source": source, "ts_ms": MILLIS}
    return [({"id": str(key)}, value)]


def ticdc(change: str, before: Any, after: Any) -> list[Message]:
    """TiCDC's Canal-JSON with TiDB's extension; `old` holds the whole row."""
    ((key, value),) = canal(change, before, after)
    if before and after:
        value["old"] = [before]
    return [(key, {"id": 0} | value | {"_tidb": {"commitTs": MILLIS << 18}})]


def drs_avro(change: str, before: Any, after: Any) -> list[BinaryMessage]:
    """DRS's Avro record after its header."""
    kinds = {"snapshot": "INIT", "key_change": "UPDATE"}
    record = {
        "version": "1.0", "seqno": 7, "shardId": 0, "eventid": "", "updateTimestamp": MILLIS,
        "tableName": '"shop"."orders"', "operation": kinds.get(change, change.upper()),
        "columnCount": len(ROW), "fields": [[name, 12] for name in ROW],
        "beforeImages": _avro_image(before), "afterImages": _avro_image(after),
    }  # fmt: skip
    if change == "ddl":
        record |= {"fields": [["sql", 12]], "afterImages": [{"Character": ["utf8", DDL]}]}
    return [(None, DRS_HEADER + encode(schema_of("drs_avro"), record))]


def dts_avro(change: str, before: Any, after: Any) -> list[BinaryMessage]:
    """DTS's Avro record."""
    kinds = {"snapshot": "INIT", "key_change": "UPDATE"}
    record = {
        "version": 0, "id": 7, "sourceTimestamp": MILLIS // 1000, "sourcePosition": "4@7",
        "safeSourcePosition": "4@7", "sourceTxid": "", "source": ["MySQL", "8.0"],
        "operation": kinds.get(change, change.upper()), "objectName": "shop.orders",
        "tags": {"pk_uk_info": '{"PRIMARY":["id"]}'}, "fields": [[name, 253] for name in ROW],
        "beforeImages": _avro_image(before), "afterImages": _avro_image(after),
        "bornTimestamp": MILLIS,
    }  # fmt: skip
    if change == "ddl":
        record |= {"fields": None, "afterImages": DDL}
    return [(None, encode(schema_of("dts_avro"), record))]


def _avro_image(row: Any) -> list[Any] | None:
    if row is None:
        return None
    values = row.values()
    return [None if text is None else {"Character": ["utf8mb4", text]} for text in values]


WRITERS: dict[str, Writer] = {
    "drs_json": drs_json,
    "drs_json_c": drs_json,
    "drs_mongo": drs_mongo,
    "oceanbase_default": oceanbase_default,
    "oceanbase_default_extended": oceanbase_default_extended,
    "oceanbase_dataworks": oceanbase_dataworks,
    "oceanbase_shareplex": oceanbase_shareplex,
    "canal": canal,
    "cloudcanal_json": cloudcanal_json,
    "debezium": debezium,
    "ckafka_format_one": ckafka_format_one,
    "dataworks_streamx": dataworks_streamx,
    "dms_json": dms_json,
    "ogg_json": ogg_json,
    "maxwell": maxwell,
    "debezium_mongodb": debezium_mongodb,
    "ticdc": ticdc,
    "drs_avro": drs_avro,
    "dts_avro": dts_avro,
    "debezium_avro": debezium_avro,
}
# What a dialect cannot express.
LACKS = {
    "oceanbase_shareplex": {"snapshot", "ddl"}, "cloudcanal_json": {"snapshot"},
    "ckafka_format_one": {"snapshot"}, "dataworks_streamx": {"snapshot"},
    "ogg_json": {"snapshot", "ddl"},
    "ticdc": {"snapshot"},
    "debezium_mongodb": {"key_change", "ddl"}, "drs_mongo": {"key_change", "ddl"},
}  # fmt: skip


def as_bytes(part: dict[str, Any] | bytes | None) -> bytearray | None:
    """Return a key or a value as it is in Kafka."""
    if part is None:
        return None
    return bytearray(part if isinstance(part, bytes) else json.dumps(part).encode())
