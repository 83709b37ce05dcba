"""CloudCanal's own JSON: lists of rows with two full images, all values text."""

from collections.abc import Callable
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Column, Message
from dialects._shared import (
    UNTYPED_INSTANTS,
    canal_sql_type,
    canal_text,
    epoch_millis,
    image,
    json_text,
    of_types,
    plain_text,
)

FORMAT = "cloudcanal_json"
ZONE = "Asia/Shanghai"
KEY_KNOWN = True
_DIFFERENT = UNTYPED_INSTANTS | of_types(
    "no type tells bytes from text", canal_text, "varbinary", "blob"
)
DIFFERENT = _DIFFERENT | of_types("a number, whose label no type tells", canal_text, "enum", "set")
VARIANT_DIFFERENT = {"labels": _DIFFERENT}


def labelled(column: Column, value: Any) -> str:
    """Return the value, with labels for ENUM and SET."""
    return (plain_text if column.base in ("enum", "set") else canal_text)(column, value)


def message(change: Change, value: Callable[[Column, Any], str]) -> list[Message]:
    """Return the change; `before` is filled only by updates, a deleted row is in `data`."""
    update = change.operation == "update"
    record = {
        "action": "INSERT" if change.operation == "snapshot" else change.operation.upper(),
        "before": [image(change.before, value)] if update else [],
        "bid": change.number,
        "data": [image(change.row, value)],
        "db": DATABASE,
        "dbValType": {one.name: one.type for one in change.columns},
        "isDdl": False,
        "entryType": "ROWDATA",
        "execTs": epoch_millis(change.at),
        "jdbcType": {one.name: canal_sql_type(one) for one in change.columns},
        "pks": [KEY],
        "schema": DATABASE,  # cloudcanal.txt: the database, as in the samples
        "sendTs": epoch_millis(change.at) + 1377,
        "sql": "",
        "table": TABLE,
    }
    return [Message(json_text(record).encode())]


def encode(change: Change) -> list[Message]:
    """Return the change with values as Canal writes them."""
    # cloudcanal.txt only says that values are texts. `entryType` (ROWDATA, TRANSACTIONEND) is
    # Canal's, so the values are assumed to be Canal's too (in_the_wild.md).
    return message(change, canal_text)


VARIANTS = {"labels": lambda change: message(change, labelled)}
# cloudcanal.txt does not say how bytes and labels are written, either.
WITH_SCHEMA_FILE = {
    "": (encode, of_types("as without the file", canal_text, "varbinary", "blob", "enum", "set")),
}
