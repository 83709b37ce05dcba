"""Maxwell's daemon: bare numbers, JSON columns as bare documents, `old` holds what changed."""

import datetime
import json
from decimal import Decimal
from typing import Any

from changes import DATABASE, KEY, TABLE, UTC, Change, Column, Message
from dialects._shared import (
    UNTYPED_BYTES,
    Bare,
    base64_text,
    digits_of,
    image,
    java_double,
    java_float,
    json_text,
    moment_text,
    of_types,
    time_text,
)

FORMAT = "maxwell"
# TIMESTAMPs are written in UTC, DATETIMEs unchanged.
ZONE = "UTC"
KEY_KNOWN = True
DAY = datetime.timedelta(days=1)


def of_day(_: Column, value: datetime.timedelta) -> datetime.timedelta:
    """Return a TIME as a time of day: Maxwell formats it with java.sql.Time."""
    return value % DAY


def document(_: Column, value: str) -> str | None:
    """Return what can be known of a JSON column: its texts and nulls look like any others."""
    content = json.loads(value)
    return content if content is None or isinstance(content, str) else value


_DIFFERENT = of_types("a time of day", of_day, "time") | of_types(
    "a text or null in JSON is not told from one outside", document, "json"
)
DIFFERENT = (
    _DIFFERENT
    | UNTYPED_BYTES
    | of_types(
        "no type tells a SET's list from a text",
        lambda _, value: json_text(list(value)),
        "set",
    )
)


def cell(column: Column, value: Any) -> Any:
    """Return the value as Maxwell passes it to Jackson, and Jackson writes it."""
    if isinstance(value, Decimal):
        # BigDecimal.toString writes 0E-10.
        return Bare(str(value))
    if isinstance(value, float):
        return Bare((java_float if column.base == "float" else java_double)(value))
    if column.base == "json":
        return Bare(value)
    if isinstance(value, bytes):
        return base64_text(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, datetime.timedelta):
        return time_text(of_day(column, value), digits_of(column))
    if isinstance(value, datetime.datetime):
        utc = value.astimezone(UTC) if value.tzinfo else value
        return moment_text(utc, digits_of(column))
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value


def record(change: Change) -> dict[str, Any]:
    """Return the fields that Maxwell writes without any options."""
    row = change.row
    snapshot = change.operation == "snapshot"
    fields: dict[str, Any] = {
        "database": DATABASE,
        "table": TABLE,
        "type": "bootstrap-insert" if snapshot else change.operation,
        "ts": int(change.at.timestamp()),
    }
    if not snapshot:
        fields |= {"xid": 9000 + change.number, "commit": True}
    fields["data"] = image(row, cell)
    if change.operation == "update" and change.changed:
        fields["old"] = image(change.before, cell, change.changed)
    return fields


def key_of(change: Change) -> Any:
    """Return the key's value, the new one in a key change."""
    return change.row[KEY]


def encode(change: Change) -> list[Message]:
    """Return the change as Maxwell writes it, with the key as a hash."""
    key = {"database": DATABASE, "table": TABLE, f"pk.{KEY}": key_of(change)}
    return [Message(json_text(record(change)).encode(), json_text(key).encode())]


def with_options(change: Change) -> list[Message]:
    """Return the change with everything that options add, and the key as an array."""
    fields = record(change)
    images = {name: fields.pop(name) for name in ("data", "old") if name in fields}
    if change.operation != "snapshot":
        del fields["commit"]
        fields |= {
            "xoffset": change.number % 3,
            "position": f"binlog.000009:{4 + 400 * change.number}",
            "gtid": f"0f5b1c1e-9d4c-11f0-a6a3-0242ac110002:{change.number}",
            "server_id": 11,
            "thread_id": 52,
        }
    fields |= {
        "query": 'update t set a = 1.50, b = "{"',
        "schema_id": 3,
        "push_ts": Bare(f"{int(change.at.timestamp())}.{change.number:06}"),
        "primary_key": [key_of(change)],
        "primary_key_columns": [KEY],
    }
    key = [DATABASE, TABLE, [{KEY: key_of(change)}]]
    return [Message(json_text(fields | images).encode(), json_text(key).encode())]


VARIANTS = {"with all options": with_options}
WITH_SCHEMA_FILE = {"": (encode, _DIFFERENT)}
