"""Huawei DRS of DDS: a document in the mongo shell's spelling, as text inside JSON.

`_id` is the key; what BSON has no type for (microseconds, TIME, 38 digits, sets) is text.
"""

import datetime
import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from changes import COLUMNS, DATABASE, KEY, TABLE, Change, Column, Message, Row
from dialects._shared import (
    base64_text,
    digits_of,
    epoch_micros,
    gson,
    java_double,
    moment_text,
    time_text,
)

FORMAT = "drs_mongo"
ZONE = "UTC"
KEY_KNOWN = True
RENAMED = {KEY: "_id"}
# Collections have no `create table`.
WITH_SCHEMA_FILE: dict[str, Any] = {}

# The samples have neither 64-bit numbers, decimals, bytes nor dates. Their blanks and quotes are
# those of the Java driver's shell mode, which `encode` follows; the variant is the shell's own.
Spelling = Callable[[Any], str]


def _text(value: str) -> str:
    """Return a string; the Java driver escapes marks and what is beyond 16 bits."""
    special = "[\u007f\u0300-\u036f\U00010000-\U0010ffff]"
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(special, lambda one: json.dumps(one[0])[1:-1], text)


def _java_long(value: int) -> str:
    return f"NumberLong({value})" if -(2**31) <= value < 2**31 else f'NumberLong("{value}")'


def _java_date(value: datetime.datetime) -> str:
    # Beyond its window the driver writes no ISODate.
    millis = epoch_micros(value) // 1000
    if millis > 253399536000000:
        return f"new Date({millis})"
    return f'ISODate("{moment_text(value, 3).replace(" ", "T")}Z")'


def _shell_date(value: datetime.datetime) -> str:
    digits = 3 if value.microsecond else 0
    return f'ISODate("{moment_text(value, digits).replace(" ", "T")}Z")'


JAVA: dict[str, Spelling] = {
    "int": str,
    "long": _java_long,
    "date": _java_date,
    "binary": lambda value: f'new BinData(0, "{base64_text(value)}")',
    "text": _text,
}
SHELL: dict[str, Spelling] = {
    "int": lambda value: f"NumberInt({value})",
    "long": lambda value: f'NumberLong("{value}")',
    "date": _shell_date,
    "binary": lambda value: f'BinData(0,"{base64_text(value)}")',
    "double": lambda value: repr(value).removesuffix(".0"),
    "text": partial(json.dumps, ensure_ascii=False),
}


KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "year", "bit(8)"), "int"),
    **dict.fromkeys(("int unsigned", "bigint"), "long"),
    **dict.fromkeys(("bigint unsigned", "bit(64)", "decimal(10,2)", "decimal(5,0)"), "decimal"),
    **dict.fromkeys(("date", "datetime", "datetime(3)", "timestamp"), "date"),
    "float": "double", "double": "double", "varbinary(16)": "binary", "blob": "binary",
    "bit(1)": "bool",
}  # fmt: skip
SAME = {
    "bool": lambda value: "true" if value else "false",
    "double": java_double,
    "decimal": lambda value: f'NumberDecimal("{value}")',
}
AS_TEXT: dict[str, Callable[[Column, Any], str]] = {
    "decimal": lambda _, value: format(value, "f"),
    "set": lambda _, value: ",".join(value),
    "time": lambda column, value: time_text(value, digits_of(column)),
    "datetime": lambda column, value: moment_text(value, digits_of(column)),
    "timestamp": lambda column, value: moment_text(value, digits_of(column)),
}


def _value(column: Column, value: Any, spelling: dict[str, Spelling]) -> str:
    if value is None:
        return "null"
    kind = KINDS.get(column.type) or KINDS.get(column.type.removesuffix(" unsigned"), "text")
    if kind == "text":
        text = AS_TEXT[column.base](column, value) if column.base in AS_TEXT else value
        return spelling["text"](text)
    if column.base == "date":
        value = datetime.datetime.combine(value, datetime.time())
    return {**SAME, **spelling}[kind](value)


def _object(pairs: dict[str, str]) -> str:
    inside = (f"{json.dumps(name, ensure_ascii=False)}: {one}" for name, one in pairs.items())
    return "{" + ", ".join(inside) + "}"


def _fields(row: Row, names: list[str], spelling: dict[str, Spelling]) -> str:
    columns = {one.name: one for one in COLUMNS}
    return _object(
        {RENAMED.get(one, one): _value(columns[one], row[one], spelling) for one in names}
    )


def _update(before: Row, after: Row, spelling: dict[str, Spelling]) -> list[tuple[Any, ...]]:
    """Return the records of an update: a $set, or a replacement, or two if the key is another."""
    if before[KEY] != after[KEY]:  # which MongoDB does not let an update do
        return _records(before, None, spelling) + _records(None, after, spelling)
    where = _fields(after, [KEY], spelling)
    changed = [name for name in after if before[name] != after[name]]
    # In a $set a point stands between a field and what is in it: such a name is only replaced.
    if any("." in name for name in changed):
        return [("UPDATE", "replace", _fields(after, list(after), spelling), where)]
    value = _object({"$set": _fields(after, changed, spelling)})
    return [("UPDATE", "update", value, where)]


def _records(
    before: Row | None, after: Row | None, spelling: dict[str, Spelling]
) -> list[tuple[Any, ...]]:
    """Return op, recordType, value and where of what a change does."""
    if before and after:
        return _update(before, after, spelling)
    if after:
        return [("INSERT", "insert", _fields(after, list(after), spelling), None)]
    return [("DELETE", "doc", _fields(before or {}, [KEY], spelling), None)]


def encode(change: Change, spelling: dict[str, Spelling] = JAVA) -> list[Message]:
    """Return one message; two of a change of the key."""
    millis = epoch_micros(change.at) // 1000
    messages = []
    records = _records(change.before, change.after, spelling)
    for place, (operation, kind, value, where) in enumerate(records):
        body = {
            "id": 2 * change.number + place + 1,
            "op": operation,
            "dbType": "MongoDB",
            "db": DATABASE,
            "coll": TABLE,
            "value": value,
            "where": where,
            "recordType": kind,
            "extra": kind,
            "es": millis,
            "ts": millis + 137,
            "clusterTime": f"{millis // 1000}:{place + 1}",
        }
        messages.append(Message(gson(body).encode()))
    return messages


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {"shell": partial(encode, spelling=SHELL)}
