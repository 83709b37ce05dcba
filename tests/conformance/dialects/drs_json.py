"""Huawei DRS in JSON: all values text, bytes as a list, TIMESTAMP as epoch seconds.

`encode` writes MySQL's layout (`mysqlType`); two variants write that of other databases
(`columnType`): see their names in VARIANT_KEY_KNOWN and VARIANT_DIFFERENT.
"""

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

from changes import COLUMNS, DATABASE, KEY, TABLE, Change, Column, Message, Row
from dialects import _drs_column_type as column_type
from dialects._shared import digits_of, epoch_micros, gson, java_double, moment_text, time_text

FORMAT = "drs_json"
ZONE = "UTC"  # has no effect: instants are epochs, or carry their zone
KEY_KNOWN = True

Writer = Callable[[Column, Any], str]

# The sample's codes, and java.sql.Types where it has none. 94 for DATETIME is DRS's own.
SQL_TYPES = {
    "tinyint": -6, "smallint": 5, "mediumint": 4, "int": 4, "bigint": -5, "decimal": 3,
    "float": 6, "double": 8, "char": 1, "varchar": 12, "text": -1, "enum": 1, "set": 1, "json": -1,
    "varbinary": -3, "blob": 2004, "bit": -7, "date": 91, "datetime": 94, "timestamp": 93,
    "time": 92, "year": 91,
}  # fmt: skip


def _epoch_seconds(column: Column, value: datetime.datetime) -> str:
    seconds, micros = divmod(epoch_micros(value), 10**6)
    digits = digits_of(column)
    return f"{seconds}" + (f".{micros:06}"[: digits + 1] if digits else "")


def _java_bytes(_: Column, value: bytes) -> str:
    # The samples are ASCII only; they look like Java's Arrays.toString, where bytes are signed.
    return str([one - 256 if one > 127 else one for one in value])


# No sample has ENUM, SET, BIT, TIME, YEAR or JSON: labels, a number, and MySQL's own texts.
TEXTS: dict[str, Writer] = {
    "decimal": lambda _, value: format(value, "f"),
    "float": lambda _, value: java_double(value),
    "double": lambda _, value: java_double(value),
    "set": lambda _, value: ",".join(value),
    "varbinary": _java_bytes,
    "blob": _java_bytes,
    "datetime": lambda column, value: moment_text(value, digits_of(column)),
    "timestamp": _epoch_seconds,
    "time": lambda column, value: time_text(value, digits_of(column)),
}


def mysql_text(column: Column, value: Any, other: dict[str, Writer] | None = None) -> str:
    """Return a value in MySQL's layout; `other` writers override those of this dialect."""
    writer = {**TEXTS, **(other or {})}.get(column.base)
    return writer(column, value) if writer else str(value)


def image(row: Row | None, text: Writer) -> list[dict[str, str | None]] | None:
    """Return an image: an array of one row, or nothing."""
    if row is None:
        return None
    cells = ((one, row[one.name]) for one in row.columns)
    return [{one.name: None if value is None else text(one, value) for one, value in cells}]


def mysql_body(change: Change, text: Writer = mysql_text, diff: bool = False) -> dict[str, Any]:
    """Return a message; with `diff` an update's old row has only the changed columns."""
    before = change.before
    if diff and before and change.after:
        before = before.part(change.changed)
    full_load = {
        "jobId": "7f1c52d0-4e0b-4c57-9f5e-0d6a3b1c8e21",
        "shardId": "0b9b6d2e-1f35-47a8-8a0c-5d2f7c4e9a63",
        "identifier": "1",
        "eventId": "mysql-bin.000007:154;5e8c1a90-3d57-11f0-9b21-0242ac110002:1-99",
    }
    return {
        **(full_load if change.operation == "snapshot" else {}),
        "mysqlType": {one.name: one.base for one in change.columns},
        "id": change.number + 1,
        "es": epoch_micros(change.at) // 1000,
        "ts": epoch_micros(change.at) // 1000 + 437,
        "database": DATABASE,
        "table": TABLE,
        "type": "INIT" if change.operation == "snapshot" else change.operation.upper(),
        "isDdl": False,
        "sql": "",
        "sqlType": {one.name: SQL_TYPES[one.base] for one in change.columns},
        "data": image(change.after, text),
        "old": image(before, text),
        "pkNames": [KEY],
    }


def encode(change: Change) -> list[Message]:
    """Return a message in MySQL's layout, with the whole old row, as in the sample."""
    return [Message(gson(mysql_body(change)).encode())]


def _only_changed(change: Change) -> list[Message]:
    return [Message(gson(mysql_body(change, diff=True)).encode())]


def _unsigned_bytes(change: Change) -> list[Message]:
    as_list: Writer = lambda _, value: str(list(value))  # noqa: E731
    text = partial(mysql_text, other={"varbinary": as_list, "blob": as_list})
    return [Message(gson(mysql_body(change, text)).encode())]


VARIANT_KEY_KNOWN = {"postgresql": False, "oracle": False}
VARIANT_DIFFERENT: dict[str, dict[str, Any]] = {
    "postgresql": {
        "c_bit8": ("a bit string, whose natural type is a text", lambda value: f"{value:08b}"),
        "c_bit64": ("a bit string, whose natural type is a text", lambda value: f"{value:064b}"),
    },
    "oracle": dict.fromkeys(
        (one.name for one in COLUMNS if one.base in ("char", "varchar", "set", "varbinary")),
        ("empty is NULL in Oracle", lambda value: value or None),
    ),
}
VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "only_changed": _only_changed,
    "unsigned_bytes": _unsigned_bytes,
    "postgresql": column_type.postgresql,
    "oracle": column_type.oracle,
}
