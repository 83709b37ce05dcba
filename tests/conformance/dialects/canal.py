"""Canal's own server, flat messages: all values are text, `old` holds only what changed.

OMS writes the same envelope with its own values: bare numbers, labels, Base64.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message
from dialects._shared import (
    Different,
    canal_sql_type,
    canal_text,
    epoch_millis,
    image,
    json_text,
    oceanbase_image,
    oceanbase_type,
)

FORMAT = "canal"
ZONE = "Asia/Shanghai"
KEY_KNOWN = True


def shortened(value: Decimal) -> str:
    """Return a decimal without trailing zeros, but with at least one digit after the point."""
    plain = f"{value:f}"
    if "." not in plain:
        return plain
    whole, fraction = plain.split(".")
    return f"{whole}.{fraction.rstrip('0') or '0'}"


DIFFERENT: Different = {
    # in_the_wild.md, Canal: decimals can lose trailing zeros.
    "c_dec65": (
        "trailing zeros are not sent",
        lambda value: None if value is None else Decimal(shortened(value)),
    ),
}


def cell(column: Column, value: Any) -> str:
    """Return the value as Canal's text."""
    return shortened(value) if column.base == "decimal" else canal_text(column, value)


def flat(change: Change, value: Callable[[Column, Any], Any], kind: str) -> dict[str, Any]:
    """Return a message with one row."""
    old = change.operation == "update"
    return {
        "data": [image(change.row, value)],
        "database": DATABASE,
        "es": epoch_millis(change.at),
        "id": change.number // 3 + 1,
        "isDdl": False,
        "mysqlType": {one.name: one.type for one in change.columns},
        "old": [image(change.before, value, change.changed)] if old else None,
        "pkNames": [KEY],
        "sql": "",
        "sqlType": {one.name: canal_sql_type(one) for one in change.columns},
        "table": TABLE,
        "ts": epoch_millis(change.at) + 450,
        "type": kind,
    }


def operation(change: Change) -> str:
    """Return a message's type; Canal's server has no full load."""
    return "INSERT" if change.operation == "snapshot" else change.operation.upper()


def encode(change: Change) -> list[Message]:
    """Return the change as Canal's server writes it."""
    return [Message(json_text(flat(change, cell, operation(change))).encode())]


def with_init(change: Change) -> list[Message]:
    """Return the change as it is written by producers with a full load of their own."""
    kind = "INIT" if change.operation == "snapshot" else operation(change)
    return [Message(json_text(flat(change, cell, kind)).encode())]


def oms(change: Change) -> list[Message]:
    """Return the change as OMS writes it: bare numbers, labels, Base64, TIMESTAMP as seconds."""
    # oceanbase_oms.txt does not describe full loads in Canal; ROW is what Default writes.
    message = flat(change, cell, "ROW" if change.operation == "snapshot" else operation(change))
    message["data"] = [oceanbase_image(change.row)]
    if message["old"] and change.before:
        message["old"] = [oceanbase_image(change.before.part(change.changed))]
    message["mysqlType"] = {one.name: oceanbase_type(one).lower() for one in change.columns}
    # The codes in its samples: 6 for `float`, -5 for every bigint.
    message["sqlType"] |= {
        one.name: {"float": 6, "bigint": -5}[one.base]
        for one in change.columns
        if one.base in ("float", "bigint")
    }
    del message["id"]
    return [Message(json_text(message).encode())]


VARIANTS = {"full load as INIT": with_init, "as OMS": oms}
