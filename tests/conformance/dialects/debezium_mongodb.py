"""Debezium's MongoDB connector: documents in the Java driver's JSON, as text in the envelope.

A delete is two messages. An `_id` cannot change, so a key change is three.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Message, Row
from dialects._mongo import RENAMED, Spelling, fields, java_text
from dialects._shared import base64_text, epoch_millis, java_double, json_text, moment_text

FORMAT = "debezium_mongodb"
ZONE = "UTC"
KEY_KNOWN = True
# Collections have no `create table`.
WITH_SCHEMA_FILE: dict[str, Any] = {}

LAST_MILLIS = 253402300799999


def _long(value: int) -> str:
    return f'{{"$numberLong": "{value}"}}'


def _canonical_date(value: datetime.datetime) -> str:
    return f'{{"$date": {_long(epoch_millis(value))}}}'


def _relaxed_date(value: datetime.datetime) -> str:
    if not 0 <= epoch_millis(value) <= LAST_MILLIS:
        return _canonical_date(value)
    text = moment_text(value, 3).replace(" ", "T")
    return f'{{"$date": "{text.rstrip("0").rstrip(".") if value.microsecond else text[:-4]}Z"}}'


def _binary(comma: str) -> Callable[[bytes], str]:
    return lambda value: (
        f'{{"$binary": {{"base64": "{base64_text(value)}"{comma}"subType": "00"}}}}'
    )


COMMON: Spelling = {
    "decimal": lambda value: f'{{"$numberDecimal": "{value}"}}',
    "text": java_text,
}
# The driver's modes of `json.serialization.mode`. The legacy mode, the default, is STRICT, except
# that keys and the fields that an update description sets are RELAXED.
STRICT: Spelling = COMMON | {
    "int": str,
    "long": _long,
    "date": lambda value: f'{{"$date": {epoch_millis(value)}}}',
    "binary": lambda value: f'{{"$binary": "{base64_text(value)}","$type": "00"}}',
    "double": lambda value: java_double(value).replace("E", "E+").replace("E+-", "E-"),
}
RELAXED: Spelling = COMMON | {
    "int": str,
    "long": str,
    "date": _relaxed_date,
    "binary": _binary(", "),
    "double": java_double,
}
EXTENDED: Spelling = COMMON | {
    "int": lambda value: f'{{"$numberInt": "{value}"}}',
    "long": _long,
    "date": _canonical_date,
    "binary": _binary(","),
    "double": lambda value: f'{{"$numberDouble": "{java_double(value)}"}}',
}


@dataclass(frozen=True)
class Options:
    """The connector's configuration.

    Attributes:
        images: how documents are written.
        keys: how the key is written.
        looks_up: whether an update also has the document.
        pre_images: whether the image before the change is known.
        has_schemas: whether the converter writes schemas.
    """

    images: Spelling
    keys: Spelling
    looks_up: bool = True
    pre_images: bool = False
    has_schemas: bool = False


def _text(name: str) -> dict[str, Any]:
    return {"type": "string", "optional": True, "name": "io.debezium.data.Json", "field": name}


SCHEMA = {
    "type": "struct",
    "fields": [_text("before"), _text("after"), {"type": "string", "field": "op"}],
    "optional": False,
    "name": "server.conformance.every_type.Envelope",
}
KEY_SCHEMA = {"type": "struct", "fields": [{"type": "string", "field": "id"}], "optional": False}


def _with_schema(schema: dict[str, Any], payload: Any, options: Options) -> bytes:
    value = {"schema": schema, "payload": payload} if options.has_schemas else payload
    return json_text(value).encode()


def _document(row: Row | None, options: Options) -> str | None:
    return fields(row, list(row), options.images, ",") if row else None


def _message(
    op: str, before: Row | None, after: Row | None, change: Change, options: Options
) -> Message:
    """Return the event of one document."""
    row = after or before
    assert row
    millis = epoch_millis(change.at)
    streamed = op != "r"
    value: dict[str, Any] = {
        "before": _document(before, options) if options.pre_images else None,
        "after": _document(after, options),
        "updateDescription": None,
        "source": {
            "version": "3.5.0.Final", "connector": "mongodb", "name": "server", "ts_ms": millis,
            "snapshot": "false" if streamed else "true", "db": DATABASE, "sequence": None,
            "collection": TABLE, "ord": 1 if streamed else 0, "lsid": None, "txnNumber": None,
            "wallTime": millis if streamed else None,
        },
        "op": op, "ts_ms": millis + 137, "transaction": None,
    }  # fmt: skip
    # A field with a point in its name can only be replaced, and a replacement has no description.
    changed = [name for name in after or {} if op == "u" and (before or {})[name] != row[name]]
    if changed and not any("." in name for name in changed):
        sets = fields(row, changed, RELAXED if options.images is STRICT else options.images)
        value["updateDescription"] = {
            "removedFields": None, "updatedFields": sets, "truncatedArrays": None,
        }  # fmt: skip
        if not options.looks_up:
            value["after"] = None
    key = {"id": fields(row, [KEY], options.keys, ",").removeprefix('{"_id": ')[:-1]}
    return Message(
        _with_schema(SCHEMA, value, options), _with_schema(KEY_SCHEMA, key, options)
    )  # fmt: skip


def messages(change: Change, options: Options) -> list[Message]:
    """Return the events of a change, a delete's with its tombstone."""
    before, after = change.before, change.after
    if before and after and before[KEY] != after[KEY]:
        parts = [("d", before, None), ("c", None, after)]
    else:
        op = {"snapshot": "r", "insert": "c"}.get(change.operation, change.operation[0])
        parts = [(op, before, after)]
    found: list[Message] = []
    for op, old, new in parts:
        found.append(_message(op, old, new, change, options))
        if op == "d":
            found.append(Message(None, found[-1].key))
    return found


encode = partial(messages, options=Options(STRICT, RELAXED))
VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "description alone": partial(messages, options=Options(STRICT, RELAXED, looks_up=False)),
    "extended with pre-images": partial(
        messages, options=Options(EXTENDED, EXTENDED, pre_images=True, has_schemas=True)
    ),
}
__all__ = ["FORMAT", "KEY_KNOWN", "RENAMED", "VARIANTS", "WITH_SCHEMA_FILE", "ZONE", "encode"]
