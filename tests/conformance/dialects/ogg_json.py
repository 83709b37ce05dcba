"""GoldenGate's JSON formatter: one document per operation, bare numbers, times to nine digits."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message, Row
from dialects._shared import (
    SHANGHAI,
    UNTYPED_BYTES,
    UNTYPED_INSTANTS,
    Bare,
    base64_text,
    image,
    json_text,
    plain_text,
)

FORMAT = "ogg_json"
ZONE = "Asia/Shanghai"
KEY_KNOWN = True
VARIANT_KEY_KNOWN = {"row mode": False}
DIFFERENT = UNTYPED_BYTES | UNTYPED_INSTANTS
Value = Callable[[Column, Any], Any]


def text(column: Column, value: Any) -> str:
    """Return the value under treatAllColumnsAsStrings; fractions of a second have nine digits."""
    if isinstance(value, bytes):
        return base64_text(value)
    found = plain_text(column, value)
    has_fraction = isinstance(value, datetime.datetime) and "." in found
    return found.ljust(len("2026-03-29 02:30:00.123456789"), "0") if has_fraction else found


def cell(column: Column, value: Any) -> str:
    """Return the value, numbers without quotes."""
    found = text(column, value)
    return Bare(found) if isinstance(value, int | float | Decimal) else found


def fields(change: Change, op_type: str) -> dict[str, Any]:
    """Return the fields before a document's images."""
    at = change.at.astimezone(SHANGHAI).replace(tzinfo=None)
    sent = at + datetime.timedelta(milliseconds=2415)
    return {
        "table": f"{DATABASE}.{TABLE}",
        "op_type": op_type,
        "op_ts": at.isoformat(" ", "microseconds"),
        "current_ts": sent.isoformat("T", "microseconds"),
        # the trail's number and the position in it, ten digits each
        "pos": f"{1:010}{1729 + 311 * change.number:010}",
    }


def operation(change: Change, before: Row | None, after: Row | None, value: Value) -> bytes:
    """Return the document in operation mode; rows of a full load are inserts."""
    document = fields(change, "U" if before and after else "I" if after else "D")
    document |= {"primary_keys": [KEY], "tokens": {}}
    if before:
        document["before"] = image(before, value)
    if after:
        document["after"] = image(after, value)
    return json_text(document).encode()


def encode(change: Change, value: Value = cell) -> list[Message]:
    """Return the change with both full images."""
    return [Message(operation(change, change.before, change.after, value))]


def logged(change: Change) -> list[Message]:
    """Return the change as logged with the key only, plus an update's changed columns."""
    before, after = change.before, change.after
    if before and after and before[KEY] == after[KEY]:
        names = [KEY, *change.changed]
        before, after = before.part(names), after.part(names)
    elif before and not after:
        before = before.part([KEY])
    return [Message(operation(change, before, after, cell))]


def row_mode(change: Change) -> list[Message]:
    """Return the change as json_row writes it, a key change as a transaction of two documents."""
    before, after = change.before, change.after
    if before and after and before[KEY] != after[KEY]:
        # pkUpdateHandling=delete-insert
        told = [("D", before), ("I", after)]
    elif after:
        told = [("U" if before else "I", after)]
    else:
        told = [("D", before)]
    documents = [fields(change, op_type) | image(row, cell) for op_type, row in told]
    return [Message("\n".join(map(json_text, documents)).encode())]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "columns as strings": lambda change: encode(change, text),
    "changed columns": logged,
    "row mode": row_mode,
}
