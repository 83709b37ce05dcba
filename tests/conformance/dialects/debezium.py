"""Debezium's MySQL connector with its defaults: values are encoded by the schema part's types.

A delete is two messages and a key change three.
"""

import datetime
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache, partial
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message
from dialects._shared import (
    Bare,
    base64_text,
    digits_of,
    epoch_micros,
    epoch_millis,
    image,
    java_double,
    java_float,
    json_text,
    moment_text,
)

FORMAT = "debezium"
ZONE = "UTC"
KEY_KNOWN = True
_LABEL = ("streamed, a comma of a label has a backslash", lambda text: text.replace(",", "\\,"))
DIFFERENT: dict[str, Any] = {
    "c_enum": _LABEL,
    "c_big_u": ("a signed long", lambda number: number - 2**64 if number >= 2**63 else number),
}
VARIANT_DIFFERENT = {"decimals as text, unsigned precise": {"c_enum": _LABEL}}

INTEGERS = {"tinyint": "int16", "smallint": "int16", "mediumint": "int32", "int": "int32",
            "bigint": "int64"}  # fmt: skip
WIDER = {"smallint": "int32", "int": "int64"}  # unsigned
PLAIN = {"float": "float", "double": "double", "char": "string", "varchar": "string",
         "text": "string", "varbinary": "bytes", "blob": "bytes"}  # fmt: skip
NAMED = {
    "date": ("int32", "io.debezium.time.Date"),
    "timestamp": ("string", "io.debezium.time.ZonedTimestamp"),
    "time": ("int64", "io.debezium.time.MicroTime"),
    "year": ("int32", "io.debezium.time.Year"),
    "json": ("string", "io.debezium.data.Json"),
    "enum": ("string", "io.debezium.data.Enum"),
    "set": ("string", "io.debezium.data.EnumSet"),
}
SOURCE = {
    "version": "string", "connector": "string", "name": "string", "ts_ms": "int64",
    "snapshot": "string", "db": "string", "table": "string", "server_id": "int64",
    "gtid": "string", "file": "string", "pos": "int64", "row": "int32", "thread": "int64",
    "query": "string",
}  # fmt: skip
EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
PREFIX = "server.conformance.every_type"


def named(kind: str, name: str, **parameters: str) -> dict[str, Any]:
    """Return a schema type whose name says what its value means."""
    return {"type": kind, "name": name, "version": 1} | (
        {"parameters": parameters} if parameters else {}
    )


def decimal_type(scale: int, precision: int) -> dict[str, Any]:
    """Return Kafka Connect's decimal type."""
    return named("bytes", "org.apache.kafka.connect.data.Decimal", scale=str(scale),
                 **{"connect.decimal.precision": str(precision)})  # fmt: skip


def type_of(column: Column, textual: bool = False) -> dict[str, Any]:
    """Return the column's type in the schema part."""
    base, numbers = column.base, column.arguments
    if base == "decimal":
        return {"type": "string"} if textual else decimal_type(numbers[1], numbers[0])
    if column.type == "bigint unsigned" and textual:
        return decimal_type(0, 20)
    if base in INTEGERS:
        return {"type": (WIDER if column.unsigned else {}).get(base, INTEGERS[base])}
    if column.type == "bit(1)":
        return {"type": "boolean"}
    if base == "bit":
        return named("bytes", "io.debezium.data.Bits", length=str(numbers[0]))
    if base == "datetime":
        kind = "MicroTimestamp" if digits_of(column) > 3 else "Timestamp"
        return named("int64", f"io.debezium.time.{kind}")
    if base in ("enum", "set"):
        allowed = ",".join(one.replace(",", "\\,") for one in column.labels)
        return named(*NAMED[base], allowed=allowed)
    return named(*NAMED[base]) if base in NAMED else {"type": PLAIN[base]}


def twos_complement(value: int) -> str:
    """Return the shortest big-endian two's complement, as Base64."""
    size = (value if value >= 0 else ~value).bit_length() // 8 + 1
    return base64_text(value.to_bytes(size, "big", signed=True))


def unscaled(column: Column, value: Decimal) -> str:
    """Return the unscaled value of a decimal as two's complement."""
    sign, digits, exponent = value.as_tuple()
    whole = int("".join(map(str, digits))) * 10 ** (column.arguments[1] + int(exponent))
    return twos_complement(-whole if sign else whole)


def bits(column: Column, value: int) -> bool | str:
    """Return a boolean, or little-endian bytes as Base64."""
    length = column.arguments[0]
    return (
        bool(value) if length == 1 else base64_text(value.to_bytes(math.ceil(length / 8), "little"))
    )


def datetime_number(column: Column, value: datetime.datetime) -> int:
    """Return milliseconds, or microseconds if the column has more than three fractional digits."""
    return (epoch_micros if digits_of(column) > 3 else epoch_millis)(value)


def zoned(column: Column, value: datetime.datetime) -> str:
    """Return ISO text in UTC with the column's fractional digits."""
    return moment_text(value, digits_of(column)).replace(" ", "T") + "Z"


VALUES: dict[str, Callable[[Column, Any], Any]] = {
    "bigint": lambda column, value: value - 2**64 if value >= 2**63 else value,
    "decimal": unscaled,
    "float": lambda column, value: Bare(java_float(value)),
    "double": lambda column, value: Bare(java_double(value)),
    "set": lambda column, value: ",".join(value),
    "varbinary": lambda column, value: base64_text(value),
    "blob": lambda column, value: base64_text(value),
    "bit": bits,
    "date": lambda column, value: value.toordinal() - EPOCH_DAY,
    "datetime": datetime_number,
    "timestamp": zoned,
    "time": lambda column, value: value // datetime.timedelta(microseconds=1),
}


def cell(column: Column, value: Any, streamed: bool, textual: bool) -> Any:
    """Return the value as it appears in an image."""
    if column.base == "enum":  # in_the_wild.md: only the stream escapes a comma in a label
        return value.replace(",", "\\,") if streamed else value
    if textual and column.base == "decimal":
        return f"{value:f}"
    if textual and column.type == "bigint unsigned":
        return twos_complement(value)
    return VALUES.get(column.base, lambda column, value: value)(column, value)


def fields_of(columns: Iterable[Column], textual: bool) -> list[dict[str, Any]]:
    """Return the columns' fields in the schema part."""
    return [
        type_of(one, textual) | {"optional": one.name != KEY, "field": one.name} for one in columns
    ]


def struct(name: str, fields: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return the schema of a struct."""
    return {"type": "struct", "fields": fields, "optional": True, "name": name} | more


def plain_fields(types: dict[str, str]) -> list[dict[str, Any]]:
    """Return fields whose types have no name."""
    return [{"type": kind, "optional": True, "field": name} for name, kind in types.items()]


@cache
def envelope(columns: tuple[Column, ...], textual: bool) -> dict[str, Any]:
    """Return the value's schema."""
    row = fields_of(columns, textual)
    fields = [struct(f"{PREFIX}.Value", row, field=side) for side in ("before", "after")]
    fields.append(
        struct("io.debezium.connector.mysql.Source", plain_fields(SOURCE), field="source")
    )
    return struct(
        f"{PREFIX}.Envelope", fields + plain_fields({"op": "string", "ts_ms": "int64"}), version=2
    )


@cache
def flattened(columns: tuple[Column, ...], textual: bool) -> dict[str, Any]:
    """Return the schema of a flattened row."""
    marks = {"__deleted": "string", "__op": "string"}
    marks |= {f"__source_{name}": SOURCE[name] for name in FLAT}
    return struct(f"{PREFIX}.Value", fields_of(columns, textual) + plain_fields(marks))


def steps(change: Change) -> list[tuple[str, Any, Any]]:
    """Return operations with their images: a key change is a delete and a create."""
    if change.operation == "update" and KEY in change.changed:
        return [("d", change.before, None), ("c", None, change.after)]
    return [({"snapshot": "r", "insert": "c"}.get(change.operation, change.operation[0]),
             change.before, change.after)]  # fmt: skip


def messages(change: Change, flat: bool, textual: bool, has_schemas: bool = True) -> list[Message]:
    """Return the records of a change, a delete's with its tombstone."""
    found = []
    for op, before, after in steps(change):
        streamed = op != "r"
        values = partial(cell, streamed=streamed, textual=textual)
        source = {
            "version": "3.5.0.Final", "connector": "mysql", "name": "server",
            "ts_ms": epoch_millis(change.at), "snapshot": "false" if streamed else "true",
            "db": DATABASE, "table": TABLE, "server_id": 223344 if streamed else 0, "gtid": None,
            "file": "mysql-bin.000003", "pos": 154 + (100 * change.number if streamed else 0),
            "row": 0, "thread": 7 if streamed else None, "query": None,
        }  # fmt: skip
        if flat:
            marks = {"__deleted": "true" if op == "d" else "false", "__op": op}
            marks |= {f"__source_{name}": source[name] for name in FLAT}
            payload = image(before if op == "d" else after, values) | marks
        else:
            payload = {
                "before": image(before, values), "after": image(after, values), "source": source,
                "op": op, "ts_ms": epoch_millis(change.at) + 500,
            }  # fmt: skip
        schema = (flattened if flat else envelope)(change.columns, textual)
        key = {
            "schema": struct(
                f"{PREFIX}.Key", fields_of(change.columns[:1], textual), optional=False
            ),
            "payload": {KEY: (before if op == "d" else after)[KEY]},
        }
        value = {"schema": schema, "payload": payload}
        value, key = (value, key) if has_schemas else (payload, key["payload"])
        key_bytes = json_text(key).encode()
        found.append(Message(json_text(value).encode(), key_bytes))
        if op == "d":
            found.append(Message(None, key_bytes))
    return found


# What `add.fields` of ExtractNewRecordState adds to the columns.
FLAT = ("db", "table", "ts_ms", "file", "pos", "row", "snapshot")
encode = partial(messages, flat=False, textual=False)
VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "flattened": partial(messages, flat=True, textual=False),
    "decimals as text, unsigned precise": partial(messages, flat=False, textual=True),
}
# Scales, units and byte orders are only in the schema part.
WITH_SCHEMA_FILE = {
    "": (encode, {"c_enum": _LABEL}),
    "without the schema part": (
        partial(messages, flat=False, textual=False, has_schemas=False),
        {"c_enum": _LABEL},
    ),
}
