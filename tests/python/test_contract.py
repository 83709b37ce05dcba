"""One logical change, as each dialect writes it, is one row of the contract."""

import json
from pathlib import Path
from typing import Any

import pytest

from avro import DRS_HEADER, encode, schema_of
from parsers import compiled_parsers, on_view

pytestmark = pytest.mark.e2e

MILLIS = 1_772_352_000_000
ROW = {"id": "1", "name": '华为 "a" \\ \'🙂\n', "none": None}
OTHER = {**ROW, "name": ""}
MOVED = {**ROW, "id": "2"}
DDL = "alter table `orders`\n add column x int"
# What a dialect does not carry, or carries in a shape of its own.
NOT_COMPARED = (
    "format", "source_name", "source_type", "captured_at", "column_types", "source_position",
    "transaction_id", "parse_batch",
)  # fmt: skip
CHANGES: dict[str, tuple[dict[str, Any] | None, dict[str, Any] | None]] = {
    "snapshot": (None, ROW),
    "insert": (None, ROW),
    "update": (ROW, OTHER),
    "key_change": (ROW, MOVED),
    "delete": (ROW, None),
}
# a key and a value; a binary dialect's value is bytes
Message = tuple[dict[str, Any] | None, dict[str, Any] | bytes]


def canal(change: str, before: Any, after: Any) -> list[Message]:
    """Canal's flat message; its `old` holds what changed."""
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
    """DRS's message: like Canal's, a delete's row in `data`."""
    value = canal(change, before, after)[0][1] | {"id": 7}
    if change == "ddl":
        value["type"] = "DDL"
    return [(None, value)]


def drs_mongo(change: str, before: Any, after: Any) -> list[Message]:
    """DRS's message of a document, whose key is `_id`; an update replaces it."""
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
    """OMS's message with both structs."""
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


def oceanbase_default_extended(change: str, before: Any, after: Any) -> list[Message]:
    """OMS's message with the types in both structs."""
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
    """OMS's SharePlex message: of an update what changed."""
    value = {
        "data": after or before,
        "meta": {
            "op": {"delete": "del"}.get(change, "upd" if before else "ins"),
            "table": "shop.orders", "time": "2026-03-01T08:00:00",
        },
    }  # fmt: skip
    if before and after:
        value["data"] = _changed(before, after)
        value["key"] = before
    return [(None, value)]


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: after[name] for name in after if after[name] != before[name]}


def cloudcanal_json(change: str, before: Any, after: Any) -> list[Message]:
    """CloudCanal's message; its `before` holds the rows before."""
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
    """CKafka's row in capitals, and its DDL, which is Canal's."""
    if change == "ddl":
        return canal(change, before, after)
    return [(None, {
        "TYPE": "D" if not after else "U" if before else "I", "DATABASE": "shop", "TABLE": "orders",
        "TIME": "20260301080000", "NEW_VALUES": after, "OLD_VALUES": before,
    })]  # fmt: skip


def dataworks_streamx(change: str, before: Any, after: Any) -> list[Message]:
    """StreamX's message: an update is one, a key change here comes as two halves."""
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


def _renamed(row: dict[str, Any]) -> dict[str, Any]:
    return {"_id" if name == "id" else name: value for name, value in row.items()}


def drs_avro(change: str, before: Any, after: Any) -> list[Message]:
    """DRS's Avro record, behind its header."""
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


def dts_avro(change: str, before: Any, after: Any) -> list[Message]:
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


WRITERS = {
    "drs_json": drs_json, "drs_json_c": drs_json, "drs_mongo": drs_mongo,
    "oceanbase_default": oceanbase_default,
    "oceanbase_default_extended": oceanbase_default_extended,
    "oceanbase_dataworks": oceanbase_dataworks, "oceanbase_shareplex": oceanbase_shareplex,
    "canal": canal, "cloudcanal_json": cloudcanal_json, "debezium": debezium,
    "ckafka_format_one": ckafka_format_one, "dataworks_streamx": dataworks_streamx,
    "drs_avro": drs_avro, "dts_avro": dts_avro,
}  # fmt: skip
# What a dialect cannot say at all.
LACKS = {
    "oceanbase_shareplex": {"snapshot", "ddl"}, "cloudcanal_json": {"snapshot"},
    "ckafka_format_one": {"snapshot"}, "dataworks_streamx": {"snapshot"},
    "drs_mongo": {"key_change", "ddl"},
}  # fmt: skip
# In whose messages the key is not named.
NAMELESS_KEYS = {"oceanbase_shareplex", "ckafka_format_one", "drs_avro"}


def _bytes(part: dict[str, Any] | bytes | None) -> bytearray | None:
    if part is None:
        return None
    return bytearray(part if isinstance(part, bytes) else json.dumps(part).encode())


@pytest.fixture(scope="module")
def events(spark: Any, project: Path) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """The contract's rows by format and change: one query a format."""
    result: dict[str, dict[str, list[dict[str, Any]]]] = {}
    parsers = compiled_parsers(spark, project)
    # A new format has to write its messages above, and no test has to be written.
    assert set(parsers) == set(WRITERS)
    for format_id, writer in WRITERS.items():
        rows: list[tuple[Any, ...]] = []
        changes = []
        for change, (before, after) in {**CHANGES, "ddl": (None, None)}.items():
            if change in LACKS.get(format_id, ()):
                continue
            for key, value in writer(change, before, after):
                rows.append((len(rows), *(_bytes(part) for part in (key, value))))
                changes.append(change)
        frame = spark.createDataFrame(rows, "kafka_offset bigint, key binary, value binary")
        frame.selectExpr(
            "'f' as feed", "'t' as kafka_topic", "0 as kafka_partition", "kafka_offset",
            "timestamp'2026-03-01' as kafka_timestamp",
            "cast(null as array<struct<key: string, value: binary>>) as headers", "key", "value",
            "timestamp'2026-03-01' as landed_at", "date'2026-03-01' as landed_date",
        ).createOrReplaceTempView("contract_messages")  # fmt: skip
        parsed = spark.sql(on_view(parsers[format_id], "contract_messages"))
        result[format_id] = {change: [] for change in changes}
        for row in parsed.orderBy("kafka_offset", "row_index").collect():
            event = row.asDict(recursive=True)
            assert (format_id, event["reject_reason"], event["reject_detail"]) == (
                format_id,
                None,
                None,
            )
            change = changes[event.pop("kafka_offset")]
            if event["event_type"] is None:
                continue  # the first half of an update
            result[format_id][change].append(
                {name: value for name, value in event.items() if name not in NOT_COMPARED}
            )
    return result


@pytest.mark.parametrize("change", [*CHANGES, "ddl"])
@pytest.mark.parametrize("format_id", sorted(set(WRITERS) - {"canal"}))
def test_every_dialect_says_the_same(events: Any, format_id: str, change: str) -> None:
    if change in LACKS.get(format_id, ()):
        pytest.skip(f"{format_id} has no {change}")
    due, found = events["canal"][change], events[format_id][change]
    if format_id in NAMELESS_KEYS and change != "ddl":
        due = [{**due[0], "key_columns": None}]
    if format_id == "oceanbase_shareplex" and due[0]["operation"] == "update":
        changed = _changed(due[0]["before"], due[0]["after"])
        due = [{**due[0], "after": changed, "is_partial": True}]
    if format_id == "drs_mongo":
        # the key has another name, the row before is its key alone, and the whole document is there
        due = [{**due[0], "key_columns": ["_id"]}]
        if due[0]["before"]:
            due[0]["before"] = {"_id": due[0]["before"]["id"]}
        if due[0]["after"]:
            document = json.loads(found[0]["after"]["_document"])
            assert {**document, "_id": str(document["_id"])} == _renamed(due[0]["after"])
            written = found[0]["after"]["_document"]
            due[0]["after"] = {**_renamed(due[0]["after"]), "_document": written}
    if (format_id, change) == ("debezium", "key_change"):
        assert [row["operation"] for row in found] == ["delete", "insert"]
        images = {"operation", "before", "after"}
        found = [{**found[1], "operation": "update", "before": found[0]["before"]}]
        assert {name for name in found[0] if found[0][name] != due[0][name]} - images == set()
    assert found == due


def test_what_it_says(events: Any) -> None:
    for change, (before, after) in CHANGES.items():
        (row,) = events["canal"][change]
        operation = "update" if change == "key_change" else change
        assert (row["event_type"], row["operation"]) == ("row", operation)
        assert (row["before"], row["after"], row["is_partial"]) == (before, after, False)
        assert (row["database_name"], row["table_name"]) == ("shop", "orders")
        assert (row["key_columns"], row["committed_at"].year) == (["id"], 2026)
    (row,) = events["canal"]["ddl"]
    assert (row["event_type"], row["operation"], row["ddl"]) == ("schema", "alter", DDL)
