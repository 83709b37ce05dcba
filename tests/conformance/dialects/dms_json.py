"""AWS DMS from MySQL: bare numbers, bytes as hex, times with a Z, no types, no key.

The formats' page says where DMS's documentation leaves something open.
"""

import datetime
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message, Row
from dialects._shared import (
    Bare,
    Different,
    digits_of,
    image,
    json_text,
    moment_text,
    of_types,
    plain_text,
)

FORMAT = "dms_json"
ZONE = "UTC"  # has no effect: all times have a Z
KEY_KNOWN = False


def hex_text(column: Column, value: Any) -> str:
    """Return bytes, or the bits of a BIT, as hexadecimal digits after 0x."""
    if isinstance(value, int):
        value = value.to_bytes(-(-column.arguments[0] // 8), "big")
    return f"0x{value.hex().upper()}"


def zoned(value: datetime.datetime, digits: int) -> str:
    """Return a time in ISO 8601, with a Z even if the source's time has no zone."""
    return moment_text(value, digits).replace(" ", "T") + "Z"


def cell(column: Column, value: Any) -> Any:
    """Return the value as it appears in `data`."""
    if column.type == "bit(1)":
        return bool(value)
    if column.base == "bit" or isinstance(value, bytes):
        return hex_text(column, value)
    if isinstance(value, datetime.datetime):
        return zoned(value, digits_of(column))
    found = plain_text(column, value)
    return Bare(found) if isinstance(value, (int, float, Decimal)) else found


UNTYPED = of_types("no type tells hexadecimal digits from text", hex_text, "varbinary", "blob")
DIFFERENT: Different = UNTYPED | {
    name: one for name, one in of_types("likewise", hex_text, "bit").items() if name != "c_bit1"
}


def metadata(change: Change, kind: str, operation: str) -> dict[str, Any]:
    """Return the metadata of a message."""
    return {
        "timestamp": zoned(change.at + datetime.timedelta(microseconds=345_678), 6),
        "record-type": kind,
        "operation": operation,
        "partition-key-type": "task-id" if kind == "control" else "schema-table",
        "schema-name": DATABASE,
        "table-name": TABLE,
    }


def details(change: Change) -> dict[str, Any]:
    """Return what IncludeTransactionDetails adds; rows of a full load do not have it."""
    if change.operation == "snapshot":
        return {}
    return {
        "transaction-id": 87_978_110_000_000 + change.number,
        "transaction-record-id": 1,
        "prev-transaction-id": 87_978_110_000_000 + change.number - 1,
        "prev-transaction-record-id": 1,
        "commit-timestamp": zoned(change.at, 6),
        "stream-position": f"mysql-bin-changelog.000007:{400 * change.number}:-1:{change.number}",
    }


def row_message(
    change: Change,
    before: Callable[[Row, Change], Iterable[str]] = lambda row, change: row,
    deleted: Callable[[Row], Row] = lambda row: row,
) -> dict[str, Any]:
    """Return the message for a row.

    Args:
        change: what happened.
        before: gives the columns that the image before an update holds.
        deleted: gives what a delete tells of a row.
    """
    row = change.after or deleted(change.row)
    message: dict[str, Any] = {"data": image(row, cell)}
    if change.after and change.before:
        names = list(before(change.before, change))
        message["before-image"] = image(change.before, cell, names) if names else {}
    operation = "load" if change.operation == "snapshot" else change.operation
    message["metadata"] = metadata(change, "data", operation) | details(change)
    return message


def encode(change: Change) -> list[Message]:
    """Return the change with IncludeNullAndEmpty, transaction details and the whole old row."""
    return [Message(json_text(row_message(change)).encode(), f"{DATABASE}.{TABLE}".encode())]


def key_alone(change: Change) -> list[Message]:
    """Return the change as PostgreSQL logs it: only the old key, and only if it changed."""
    message = row_message(
        change,
        lambda row, change: [KEY] if KEY in change.changed else [],
        lambda row: Row(row.columns, {KEY: row[KEY]}),
    )
    return [Message(json_text(message).encode())]


def changed_alone(change: Change) -> list[Message]:
    """Return the change with the before image of Oracle's log, without transaction details."""
    message = row_message(change, lambda row, change: change.changed)
    message["metadata"] = {
        name: value for name, value in message["metadata"].items() if name not in details(change)
    }
    return [Message(json_text(message).encode())]


def pretty(change: Change) -> list[Message]:
    """Return the change in the usual message format, over several lines."""
    texts: list[str] = []

    def marked(value: Any) -> Any:
        # Bare numbers are replaced after the formatting, to keep their digits.
        if isinstance(value, Bare):
            texts.append(str(value))
            return f"\0{len(texts) - 1}\0"
        if isinstance(value, dict):
            return {name: marked(one) for name, one in value.items()}
        return value

    text = json.dumps(marked(row_message(change)), ensure_ascii=False, indent="\t")
    for number, digits in enumerate(texts):
        text = text.replace(f'"\\u0000{number}\\u0000"', digits)
    return [Message(text.encode())]


def is_left_out(value: Any) -> bool:
    """Say whether a producer without IncludeNullAndEmpty leaves a value out."""
    return value is None or value in ("", b"", ())


def without_nulls(change: Change) -> list[Message]:
    """Return the change without null or empty values."""

    def without(row: Row | None) -> Row | None:
        return row and row.part(name for name, value in row.items() if not is_left_out(value))

    shorter = Change(
        change.operation, without(change.before), without(change.after), change.at, change.number
    )
    return [Message(json_text(row_message(shorter)).encode())]


# By MySQL type, from DMS's document on MySQL sources; unsigned types get a U in front.
_TYPES = {
    "tinyint": "INT1", "smallint": "INT2", "mediumint": "INT4", "int": "INT4", "bigint": "INT8",
    "float": "REAL4", "double": "REAL8", "bit(1)": "BOOLEAN", "bit": "BYTES", "varbinary": "BYTES",
    "blob": "BLOB", "date": "DATE", "datetime": "DATETIME", "timestamp": "DATETIME", "year": "INT2",
}  # fmt: skip


def definition(column: Column) -> dict[str, Any]:
    """Return a control message's description of a column."""
    found: dict[str, Any] = {"nullable": column.name != KEY}
    if column.base == "decimal":
        precision, scale = column.arguments
        return {"type": "NUMERIC", "precision": precision, "scale": scale} | found
    name = _TYPES.get(column.type) or _TYPES.get(column.base, "WSTRING")
    return {"type": f"U{name}" if column.unsigned else name} | found


def defined(change: Change) -> list[Message]:
    """Return the change with IncludeControlDetails: the table's definition before its first row."""
    messages = encode(change)
    if change.number == 0:
        columns = {one.name: definition(one) for one in change.columns}
        control = {"table-def": {"columns": columns, "primary-key": [KEY]}}
        value = {"control": control, "metadata": metadata(change, "control", "create-table")}
        messages.insert(0, Message(json_text(value).encode()))
    return messages


VARIANTS = {
    "key alone before": key_alone,
    "changed alone before": changed_alone,
    "pretty": pretty,
    "without nulls": without_nulls,
    "with definitions": defined,
}
VARIANT_KEY_KNOWN = {"with definitions": True}
VARIANT_DIFFERENT: dict[str, Different] = {
    "without nulls": of_types(
        "an empty text is left out like a null",
        lambda _, value: None if is_left_out(value) else value,
        "varchar", "text", "set",
    )
    | of_types(
        "empty bytes are left out like a null",
        lambda column, value: None if is_left_out(value) else hex_text(column, value),
        "varbinary", "blob",
    )
    | {name: one for name, one in DIFFERENT.items() if name.startswith("c_bit")},
    "with definitions": {},
}  # fmt: skip
