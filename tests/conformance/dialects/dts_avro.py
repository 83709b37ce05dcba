"""Alibaba DTS of MySQL, and CloudCanal with the same schema: one Avro record per change.

A value's branch of the union says how it is written; `dataTypeNumber` is MySQL's type code.
"""

import datetime
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from avro import encode as avro_bytes
from avro import schema_of
from changes import DATABASE, KEY, TABLE, Change, Column, Message, Row

FORMAT = "dts_avro"
ZONE = "UTC"
KEY_KNOWN = True

SCHEMA = schema_of(FORMAT)
OLDER = {**SCHEMA, "fields": SCHEMA["fields"][:-1]}  # before bornTimestamp was added
INTEGERS = {"tinyint": 1, "smallint": 2, "mediumint": 3, "int": 4, "bigint": 8}  # with their bytes
NUMBERS = {
    "tinyint": 1, "smallint": 2, "int": 3, "float": 4, "double": 5, "timestamp": 7, "bigint": 8,
    "mediumint": 9, "date": 10, "time": 11, "datetime": 12, "year": 13, "bit": 16, "json": 245,
    "decimal": 246, "enum": 247, "set": 248, "blob": 252, "text": 252, "varbinary": 253,
    "varchar": 253, "char": 254,
}  # fmt: skip
NEW_NUMBERS = {**NUMBERS, "date": 14, "timestamp": 17, "datetime": 18, "time": 19, "varchar": 15}
KEYS = json.dumps({"PRIMARY": [KEY]}, separators=(",", ":"))
NONE = {"EmptyObject": "NONE"}
PARTS = ("year", "month", "day", "hour", "minute", "second", "millis")

Writer = Callable[[Column, Any], Any]


def parts(**known: int | None) -> dict[str, Any]:
    """Return a DateTime; parts not given are null."""
    return {"DateTime": {name: known.get(name) for name in PARTS}}


def numeric(column: Column, value: Any) -> Any:
    """Return numbers: as text, but FLOAT and DOUBLE as a double."""
    kind, arguments = column.base, column.arguments
    if kind == "decimal":
        text, (precision, scale) = f"{value:f}", arguments
        return {"Decimal": {"value": text, "precision": precision, "scale": scale}}
    if kind in ("float", "double"):
        return {"Float": {"value": value, "precision": 8 if kind == "double" else 4, "scale": 0}}
    precision = arguments[0] if kind == "bit" else INTEGERS[kind]
    return {"Integer": {"precision": precision, "value": str(value)}}


def temporal(column: Column, value: Any) -> Any:
    """Return times: `millis` holds microseconds, and every part of a TIME carries its sign."""
    if column.base == "year":
        return parts(year=value)
    if column.base == "date":
        return parts(year=value.year, month=value.month, day=value.day)
    if column.base == "timestamp":
        whole = int(value.replace(microsecond=0).timestamp())
        return {"Timestamp": {"timestamp": whole, "millis": value.microsecond}}
    if column.base == "datetime":
        day = {"year": value.year, "month": value.month, "day": value.day}
        time = {"hour": value.hour, "minute": value.minute, "second": value.second}
        return parts(**day, **time, millis=value.microsecond if column.arguments else None)
    sign = -1 if value < datetime.timedelta() else 1
    seconds, rest = divmod(abs(value), datetime.timedelta(seconds=1))
    return parts(
        hour=sign * (seconds // 3600),
        minute=sign * (seconds // 60 % 60),
        second=sign * (seconds % 60),
        millis=sign * rest.microseconds if column.arguments else None,
    )


def characters(column: Column, value: str) -> Any:
    """Return texts in the branch that holds their bytes and charset."""
    return {"Character": {"charset": "utf8mb4", "value": {"hex": value.encode().hex()}}}


def text_object(column: Column, value: Any) -> Any:
    """Return JSON, and the labels of ENUM and SET rather than their indexes."""
    text = ",".join(value) if column.base == "set" else value
    return {"TextObject": {"type": column.base, "value": text}}


def binary(column: Column, value: bytes) -> Any:
    """Return bytes."""
    return {"BinaryObject": {"type": column.base, "value": {"hex": value.hex()}}}


WRITERS: dict[str, Writer] = {
    **dict.fromkeys((*INTEGERS, "bit", "decimal", "float", "double"), numeric),
    **dict.fromkeys(("year", "date", "time", "datetime", "timestamp"), temporal),
    **dict.fromkeys(("char", "varchar", "text"), characters),
    **dict.fromkeys(("enum", "set", "json"), text_object),
    **dict.fromkeys(("varbinary", "blob"), binary),
}


def encode(
    change: Change,
    schema: Any = SCHEMA,
    numbers: dict[str, int] = NUMBERS,
    null: Any = None,
    minimal: bool = False,
) -> list[Message]:
    """Return the change's record.

    Args:
        change: what happened.
        schema: the producer's schema.
        numbers: type codes by type.
        null: how SQL NULL is written: the union's null, or EmptyObject NULL.
        minimal: the source logs only the old key and the new values of changed columns. It is not
            known how the other columns appear when the key changes; here they are sent.
    """

    stays = change.operation == "update" and KEY not in change.changed

    def image(row: Row | None, captured: list[str] | None) -> list[Any] | None:
        if row is None:
            return None
        return [
            NONE
            if captured is not None and one.name not in captured
            else null
            if row[one.name] is None
            else WRITERS[one.base](one, row[one.name])
            for one in row.columns
        ]

    seconds = int(change.at.timestamp())
    record = {
        "version": 0,
        "id": 1_700_000 + change.number,
        "sourceTimestamp": seconds,
        "sourcePosition": f"{72_000 + 100 * change.number}@78",
        "safeSourcePosition": f"{71_900 + 100 * change.number}@78",
        "sourceTxid": "0",
        "source": {"sourceType": "MySQL", "version": "8.0.28"},
        "operation": "INIT" if change.operation == "snapshot" else change.operation.upper(),
        "objectName": ".".join(name.replace(".", r"\u002E") for name in (DATABASE, TABLE)),
        "processTimestamps": None,
        "tags": {"pk_uk_info": KEYS, "thread_id": "163931"},
        "fields": [
            {"name": one.name, "dataTypeNumber": numbers[one.base]} for one in change.columns
        ],
        "beforeImages": image(change.before, [KEY] if minimal else None),
        "afterImages": image(change.after, change.changed if minimal and stays else None),
        "bornTimestamp": seconds * 1000 + 50,
    }
    values = [record[one["name"]] for one in schema["fields"]]
    return [Message(avro_bytes(schema, values))]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "older_schema": partial(encode, schema=OLDER),
    "new_codes": partial(encode, numbers=NEW_NUMBERS),
    "null_objects": partial(encode, null={"EmptyObject": "NULL"}),
    "minimal": partial(encode, minimal=True),
}
