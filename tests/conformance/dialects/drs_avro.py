"""Huawei DRS in Avro: a union by type, a column's type as a number, no key, with a header."""

from collections.abc import Callable
from typing import Any

import avro
from changes import DATABASE, TABLE, Change, Column, Message, Row
from dialects._shared import digits_of, epoch_micros, moment_text, time_text
from dialects.drs_json import SQL_TYPES

FORMAT = "drs_avro"
ZONE = "UTC"  # TIMESTAMP is an epoch
KEY_KNOWN = False
HEADER = bytes.fromhex("c3014e9ea30940ac78cc")


def _record(name: str, /, **fields: Any) -> dict[str, Any]:
    listed = [{"name": field, "type": kind} for field, kind in fields.items()]
    return {"type": "record", "name": name, "fields": listed}


_IMAGE = ["null", {"type": "array", "items": [
    "null",
    _record("Integer", precision="int", value="string"),
    _record("Character", charset="string", value="bytes"),
    _record("Decimal", value="string", precision="int", scale="int"),
    _record("Float", value="double", precision="int", scale="int"),
    _record("Timestamp", timestamp="long", millis="int"),
    _record("Date", value="string"),
    _record("Bit", precision="int", value="string"),
    _record("BinaryObject", type="string", value="bytes"),
]}]  # fmt: skip
_FIELD = _record("Field", name="string", dataTypeNumber="int")
SCHEMA = _record(
    "Record", version="string", seqno="long", shardId="long", eventid="string",
    updateTimestamp="long", tableName=["null", "string"], operation="string", columnCount="long",
    fields=["null", {"type": "array", "items": _FIELD}], beforeImages=_IMAGE,
    afterImages=["null", {"type": "array", "items": _IMAGE[1]["items"]}],
)  # fmt: skip


def _integer(column: Column, value: int) -> dict[str, Any]:
    return {"Integer": [20, str(value)]}


def _character(column: Column, value: Any) -> dict[str, Any]:
    text = ",".join(value) if isinstance(value, tuple) else value
    return {"Character": ["utf8mb4", text]}


def _decimal(column: Column, value: Any) -> dict[str, Any]:
    return {"Decimal": [format(value, "f"), *column.arguments]}


def _float(column: Column, value: float) -> dict[str, Any]:
    return {"Float": [value, 12 if column.base == "float" else 22, 31]}


def _timestamp(column: Column, value: Any) -> dict[str, Any]:
    # `millis` holds microseconds, as in the schema of DTS, which has the same record
    seconds, micros = divmod(epoch_micros(value), 10**6)
    return {"Timestamp": [seconds, micros]}


def _date(column: Column, value: Any) -> dict[str, Any]:
    """Return any time: only DATETIME is said to be text, and no other branch fits the others."""
    if column.base == "datetime":
        return {"Date": [moment_text(value, digits_of(column))]}
    return {"Date": [time_text(value, digits_of(column)) if column.base == "time" else str(value)]}


def _bit(column: Column, value: int) -> dict[str, Any]:
    return {"Bit": [column.arguments[0], str(value)]}


def _binary(column: Column, value: bytes) -> dict[str, Any]:
    return {"BinaryObject": [column.base, {"hex": value.hex()}]}


BRANCHES: dict[str, Callable[[Column, Any], dict[str, Any]]] = {
    **dict.fromkeys(("char", "varchar", "text", "enum", "set", "json"), _character),
    **dict.fromkeys(("date", "datetime", "time", "year"), _date),
    "decimal": _decimal, "float": _float, "double": _float, "timestamp": _timestamp,
    "bit": _bit, "varbinary": _binary, "blob": _binary,
}  # fmt: skip


def _image(row: Row | None) -> list[Any] | None:
    if row is None:
        return None
    pairs = [(one, row[one.name]) for one in row.columns]
    return [None if v is None else BRANCHES.get(one.base, _integer)(one, v) for one, v in pairs]


def _datum(change: Change) -> bytes:
    record = {
        "version": "1.0",
        "seqno": change.number + 1,
        "shardId": 0,
        "eventid": f"mysql-bin.000007:{154 + 100 * change.number}",
        "updateTimestamp": epoch_micros(change.at) // 1000,
        "tableName": f'"{DATABASE}"."{TABLE}"',
        # The vendor's document names no operation for the full load.
        "operation": "INSERT" if change.operation == "snapshot" else change.operation.upper(),
        "columnCount": len(change.columns),
        "fields": [[one.name, SQL_TYPES[one.base]] for one in change.columns],
        "beforeImages": _image(change.before),
        "afterImages": _image(change.after),
    }
    return avro.encode(SCHEMA, record)


def encode(change: Change) -> list[Message]:
    """Return the datum after Avro's single-object header."""
    return [Message(HEADER + _datum(change))]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "bare": lambda change: [Message(_datum(change))],
}
