"""TiCDC's Canal-JSON and Simple Protocol: one message per row, two for a key change."""

import dataclasses
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message
from dialects._shared import (
    Different,
    base64_text,
    canal_sql_type,
    canal_text,
    digits_of,
    epoch_millis,
    image,
    java_double,
    java_float,
    json_text,
    of_types,
)

FORMAT = "ticdc"
ZONE = "Asia/Shanghai"
KEY_KNOWN = True
# Without content-compatible, types have neither lengths nor labels.
DIFFERENT: Different = of_types(
    "the type has no labels", lambda column, value: canal_text(column, value), "enum", "set"
)
VARIANT_DIFFERENT: dict[str, Different] = {"content compatible": {}, "Simple": {}}


def split(change: Change) -> list[Change]:
    """Return the change as TiCDC writes it, a key change as a delete and an insert."""
    if change.before and change.after and KEY in change.changed:
        return [
            dataclasses.replace(change, operation="delete", after=None),
            dataclasses.replace(change, operation="insert", before=None),
        ]
    return [change]


def operation(change: Change) -> str:
    """Return a message's type; TiCDC does not send a snapshot, so its rows are inserts here."""
    return "INSERT" if change.operation == "snapshot" else change.operation.upper()


def tso(change: Change) -> int:
    """Return a TSO: milliseconds followed by 18 bits."""
    return (epoch_millis(change.at) << 18) + change.number


def cell(column: Column, value: Any) -> str:
    """Return the value as in Canal-JSON; Go writes numbers without an exponent."""
    if isinstance(value, float):
        return f"{Decimal((java_float if column.base == 'float' else java_double)(value)):f}"
    return canal_text(column, value)


def bare_type(column: Column) -> str:
    """Return a type without the part in parentheses."""
    return f"{column.base} unsigned" if column.unsigned else column.base


def canal_json(change: Change, type_of: Callable[[Column], str]) -> dict[str, Any]:
    """Return a row's message without TiDB's extension, with the whole row in `old`."""
    row = image(change.row, cell)
    is_update = change.operation == "update"
    return {
        "id": 0,
        "database": DATABASE,
        "table": TABLE,
        "pkNames": [KEY],
        "isDdl": False,
        "type": operation(change),
        "es": epoch_millis(change.at),
        "ts": epoch_millis(change.at) + 612,
        "sql": "",
        "sqlType": {one.name: canal_sql_type(one) for one in change.columns},
        "mysqlType": {one.name: type_of(one) for one in change.columns},
        "old": [image(change.before, cell)] if is_update else None,
        "data": [row],
    }


def encode(change: Change) -> list[Message]:
    """Return the change with TiDB's extension, followed by a watermark."""
    parts = [
        canal_json(one, bare_type) | {"_tidb": {"commitTs": tso(change)}} for one in split(change)
    ]
    mark: dict[str, Any] = dict.fromkeys(
        ("pkNames", "sqlType", "mysqlType", "data", "old"), None
    ) | {"type": "TIDB_WATERMARK", "_tidb": {"watermarkTs": tso(change) + 1}}
    return [Message(json_text(one).encode()) for one in [*parts, mark]]


def compatible(change: Change) -> list[Message]:
    """Return the change with content-compatible: full types, `old` holds what changed."""
    message = canal_json(change, lambda column: column.type)
    if message["old"]:
        message["old"] = [image(change.before, cell, change.changed)] if change.changed else [{}]
    return [Message(json_text(message).encode())]


def simple_cell(column: Column, value: Any) -> Any:
    """Return the value as the Simple Protocol writes it."""
    if isinstance(value, bytes):
        return base64_text(value)
    if column.base == "timestamp":
        return {"location": ZONE, "value": canal_text(column, value)}
    return cell(column, value)


def definition(column: Column) -> dict[str, Any]:
    """Return a column of a table's definition, with a length or labels if the type has any."""
    kind: dict[str, Any] = {"mysqlType": column.base, "charset": "binary", "collate": "binary"}
    if column.base in ("datetime", "timestamp", "time"):
        kind |= {"length": 19 + digits_of(column), "decimal": digits_of(column)}
    elif column.arguments:
        kind |= dict(zip(("length", "decimal"), column.arguments, strict=False))
    if column.labels:
        kind["elements"] = list(column.labels)
    if column.unsigned:
        kind["unsigned"] = True
    # The protocol leaves out zero and empty values.
    told = {name: one for name, one in kind.items() if one != 0}
    return {"name": column.name, "dataType": told, "nullable": column.name != KEY, "default": None}


def bootstrap(change: Change) -> dict[str, Any]:
    """Return the message that defines the table before its first row."""
    key = {"name": "primary", "unique": True, "primary": True, "nullable": False, "columns": [KEY]}
    return {
        "version": 1,
        "type": "BOOTSTRAP",
        "commitTs": 0,
        "buildTs": epoch_millis(change.at),
        "tableSchema": {
            "schema": DATABASE, "table": TABLE, "tableID": 112, "version": tso(change),
            "columns": [definition(one) for one in change.columns], "indexes": [key],
        },
    }  # fmt: skip


def simple(change: Change) -> list[Message]:
    """Return the change in the Simple Protocol."""
    messages = [bootstrap(change)] if change.number == 0 else []
    for one in split(change):
        message: dict[str, Any] = {
            "version": 1, "database": DATABASE, "table": TABLE, "tableID": 112,
            "type": operation(one), "commitTs": tso(one), "buildTs": epoch_millis(one.at) + 612,
            "schemaVersion": 7,
        }  # fmt: skip
        images = {"data": one.after, "old": one.before}
        message |= {name: image(row, simple_cell) for name, row in images.items() if row}
        messages.append(message)
    return [Message(json_text(one).encode()) for one in messages]


VARIANTS = {"content compatible": compatible, "Simple": simple}
WITH_SCHEMA_FILE: dict[str, tuple[Callable[[Change], list[Message]], Different]] = {
    "": (encode, {}),
    "Simple": (simple, {}),
}
