"""Huawei DRS of DDS: a document in the mongo shell's syntax, as text inside JSON."""

import datetime
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Message, Row
from dialects._mongo import RENAMED, Spelling, fields, java_text
from dialects._shared import base64_text, epoch_micros, gson, java_double, moment_text

FORMAT = "drs_mongo"
ZONE = "UTC"
KEY_KNOWN = True
# Collections have no `create table`.
WITH_SCHEMA_FILE: dict[str, Any] = {}

# The samples have no 64-bit numbers, decimals, bytes or dates. Their spaces and quotes are those
# of the Java driver's shell mode, which `encode` follows; the variant is the shell's own.


def _java_long(value: int) -> str:
    return f"NumberLong({value})" if -(2**31) <= value < 2**31 else f'NumberLong("{value}")'


def _java_date(value: datetime.datetime) -> str:
    # The driver writes no ISODate outside its range.
    millis = epoch_micros(value) // 1000
    if millis > 253399536000000:
        return f"new Date({millis})"
    return f'ISODate("{moment_text(value, 3).replace(" ", "T")}Z")'


def _shell_date(value: datetime.datetime) -> str:
    digits = 3 if value.microsecond else 0
    return f'ISODate("{moment_text(value, digits).replace(" ", "T")}Z")'


def _decimal(value: Any) -> str:
    return f'NumberDecimal("{value}")'


JAVA: Spelling = {
    "int": str,
    "long": _java_long,
    "date": _java_date,
    "binary": lambda value: f'new BinData(0, "{base64_text(value)}")',
    "double": java_double,
    "decimal": _decimal,
    "text": java_text,
}
SHELL: Spelling = {
    "int": lambda value: f"NumberInt({value})",
    "long": lambda value: f'NumberLong("{value}")',
    "date": _shell_date,
    "binary": lambda value: f'BinData(0,"{base64_text(value)}")',
    "double": lambda value: repr(value).removesuffix(".0"),
    "decimal": _decimal,
    "text": partial(json.dumps, ensure_ascii=False),
}


def _update(before: Row, after: Row, spelling: Spelling) -> list[tuple[Any, ...]]:
    """Return the records of an update: a $set, a replacement, or two for a key change."""
    if before[KEY] != after[KEY]:  # MongoDB does not let an update change the key
        return _records(before, None, spelling) + _records(None, after, spelling)
    where = fields(after, [KEY], spelling)
    changed = [name for name in after if before[name] != after[name]]
    # In a $set, a point in a name leads to a nested field, so such a field can only be replaced.
    if any("." in name for name in changed):
        return [("UPDATE", "replace", fields(after, list(after), spelling), where)]
    value = f'{{"$set": {fields(after, changed, spelling)}}}'
    return [("UPDATE", "update", value, where)]


def _records(before: Row | None, after: Row | None, spelling: Spelling) -> list[tuple[Any, ...]]:
    """Return op, recordType, value and where for each record of a change."""
    if before and after:
        return _update(before, after, spelling)
    if after:
        return [("INSERT", "insert", fields(after, list(after), spelling), None)]
    assert before
    return [("DELETE", "doc", fields(before, [KEY], spelling), None)]


def encode(change: Change, spelling: Spelling = JAVA) -> list[Message]:
    """Return one message, or two for a key change."""
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
__all__ = ["FORMAT", "KEY_KNOWN", "RENAMED", "VARIANTS", "WITH_SCHEMA_FILE", "ZONE", "encode"]
