"""What the MongoDB dialects share: a row as a document whose values have BSON types.

`_id` is the key. Values that BSON has no type for (microseconds, TIME, 38 digits, sets) are text.
"""

import datetime
import json
import re
from collections.abc import Callable
from typing import Any

from changes import KEY, Column, Row
from dialects._shared import digits_of, moment_text, time_text

RENAMED = {KEY: "_id"}
# How a value is written, by BSON type.
Spelling = dict[str, Callable[[Any], str]]

KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "year", "bit(8)"), "int"),
    **dict.fromkeys(("int unsigned", "bigint"), "long"),
    **dict.fromkeys(("bigint unsigned", "bit(64)", "decimal(10,2)", "decimal(5,0)"), "decimal"),
    **dict.fromkeys(("date", "datetime", "datetime(3)", "timestamp"), "date"),
    "float": "double", "double": "double", "varbinary(16)": "binary", "blob": "binary",
    "bit(1)": "bool",
}  # fmt: skip
AS_TEXT: dict[str, Callable[[Column, Any], str]] = {
    "decimal": lambda _, value: format(value, "f"),
    "set": lambda _, value: ",".join(value),
    "time": lambda column, value: time_text(value, digits_of(column)),
    "datetime": lambda column, value: moment_text(value, digits_of(column)),
    "timestamp": lambda column, value: moment_text(value, digits_of(column)),
}


def java_text(value: str) -> str:
    """Return a string with combining marks and characters beyond 16 bits escaped, as in Java."""
    special = "[\u007f\u0300-\u036f\U00010000-\U0010ffff]"
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(special, lambda one: json.dumps(one[0])[1:-1], text)


def fields(row: Row, names: list[str], spelling: Spelling, comma: str = ", ") -> str:
    """Return some columns of a row as a document."""
    columns = {one.name: one for one in row.columns}
    pairs = (
        f"{spelling['text'](RENAMED.get(one, one))}: {_value(columns[one], row[one], spelling)}"
        for one in names
    )
    return "{" + comma.join(pairs) + "}"


def _value(column: Column, value: Any, spelling: Spelling) -> str:
    if value is None:
        return "null"
    kind = KINDS.get(column.type) or KINDS.get(column.type.removesuffix(" unsigned"), "text")
    if kind == "text":
        text = AS_TEXT[column.base](column, value) if column.base in AS_TEXT else value
        return spelling["text"](text)
    if column.base == "date":
        value = datetime.datetime.combine(value, datetime.time())
    if kind == "bool":
        return "true" if value else "false"
    return spelling[kind](value)
