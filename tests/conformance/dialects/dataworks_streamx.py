"""DataWorks StreamX: six types, times as epoch milliseconds, two messages for an update."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message, Row
from dialects._shared import (
    SHANGHAI,
    UNTYPED_INSTANTS,
    Bare,
    base64_text,
    bits_in_base64,
    epoch_millis,
    image,
    java_double,
    java_float,
    json_text,
    plain_text,
)

FORMAT = "dataworks_streamx"
ZONE = "Asia/Shanghai"
KEY_KNOWN = True


def to_millis(value: Any) -> Any:
    """Return a moment truncated to milliseconds."""
    return value and value.replace(microsecond=value.microsecond // 1000 * 1000)


# aliyun_dataworks.txt, Field types: DATE is a timestamp of milliseconds.
DIFFERENT = {
    name: (reason, lambda value, known=known: known(to_millis(value)))
    for name, (reason, known) in UNTYPED_INSTANTS.items()
} | {"c_datetime6": ("times have milliseconds", to_millis)}

# aliyun_dataworks.txt does not map the source's types to the six: these are the likeliest. TIME
# can be negative or over 24 hours, which a DATE cannot hold.
TYPES = {
    "tinyint": "LONG", "smallint": "LONG", "mediumint": "LONG", "int": "LONG", "bigint": "LONG",
    "year": "LONG", "decimal": "DOUBLE", "float": "DOUBLE", "double": "DOUBLE",
    "varbinary": "BYTES", "blob": "BYTES", "date": "DATE", "datetime": "DATE", "timestamp": "DATE",
}  # fmt: skip


def type_of(column: Column, byte_bits: bool = False) -> str:
    """Return one of the six types."""
    if column.base == "bit":
        return "BOOLEAN" if column.type == "bit(1)" else "BYTES" if byte_bits else "LONG"
    return TYPES.get(column.base, "STRING")


def number(column: Column, value: Any) -> Bare:
    """Return a bare number; a decimal keeps all digits, as BigDecimal.toString writes them."""
    if isinstance(value, Decimal):
        return Bare(value)
    return Bare((java_float if column.base == "float" else java_double)(value))


def date_millis(column: Column, value: Any) -> int:
    """Return epoch milliseconds; a value without a zone is taken as Shanghai time."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    return epoch_millis(value if value.tzinfo else value.replace(tzinfo=SHANGHAI))


def octets(column: Column, value: bytes | int) -> str:
    """Return the bytes of a binary value or of a BIT, as Base64."""
    return bits_in_base64(column, value) if isinstance(value, int) else base64_text(value)


VALUES: dict[str, Callable[[Column, Any], Any]] = {
    "BOOLEAN": lambda column, value: bool(value),
    "LONG": lambda column, value: value,
    "DOUBLE": number,
    "BYTES": octets,
    "DATE": date_millis,
    "STRING": plain_text,
}


def message(
    change: Change, op: str, before: Row | None, after: Row | None, byte_bits: bool = False
) -> Message:
    """Return one record."""

    def side(row: Row | None) -> Any:
        cells = image(row, lambda one, value: VALUES[type_of(one, byte_bits)](one, value))
        return row and {"dataColumn": cells}

    at = epoch_millis(change.at)
    columns = [{"name": one.name, "type": type_of(one, byte_bits)} for one in change.columns]
    record = {
        "schema": {
            "dataColumn": columns,
            "primaryKey": [KEY],
            "source": {"dbType": "MySQL", "dbName": DATABASE, "tableName": TABLE},
        },
        "payload": {
            "before": side(before),
            "after": side(after),
            "sequenceId": str(1774745000000000000 + change.number),
            "timestamp": {"eventTime": at, "systemTime": at + 977, "checkpointTime": at},
            "op": op,
            "ddl": None,
        },
        "version": "0.0.1",
    }
    return Message(json_text(record).encode())


def encode(change: Change, before_op: str = "UPDATE_BEFOR", **options: bool) -> list[Message]:
    """Return the change: an update as a pair with one sequenceId, the full load as inserts."""
    if change.operation == "update":
        return [
            message(change, before_op, change.before, None, **options),
            message(change, "UPDATE_AFTER", None, change.after, **options),
        ]
    op = "DELETE" if change.operation == "delete" else "INSERT"
    return [message(change, op, change.before, change.after, **options)]


def one_record(change: Change) -> list[Message]:
    """Return the change with the option that writes an update as one record."""
    if change.operation == "update":
        return [message(change, "UPDATE_AFTER", change.before, change.after)]
    return encode(change)


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "one record an update": one_record,
    "UPDATE_BEFORE": lambda change: encode(change, before_op="UPDATE_BEFORE"),
    "bits as bytes": lambda change: encode(change, byte_bits=True),
}
_MILLIS = ("times have milliseconds", to_millis)
WITH_SCHEMA_FILE = {"": (encode, {"c_datetime6": _MILLIS, "c_timestamp6": _MILLIS})}
