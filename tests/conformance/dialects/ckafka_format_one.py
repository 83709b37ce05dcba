"""Tencent CKafka's "official format 1": two full images, all values text, no types, no key."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from changes import DATABASE, TABLE, Change, Column, Message
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

FORMAT = "ckafka_format_one"
ZONE = "Asia/Shanghai"
KEY_KNOWN = False
DIFFERENT = UNTYPED_BYTES | UNTYPED_INSTANTS


def cell(column: Column, value: Any) -> str:
    """Return the value as MySQL's text: in the samples even the integer `id` is text."""
    # tencent_ckafka.txt shows no bytes. Base64 is a guess, from Debezium, its default format.
    return base64_text(value) if isinstance(value, bytes) else plain_text(column, value)


def bare_cell(column: Column, value: Any) -> str:
    """Return the value, numbers without quotes."""
    found = cell(column, value)
    return Bare(found) if isinstance(value, (int, float, Decimal)) else found


def message(change: Change, value: Callable[[Column, Any], str]) -> list[Message]:
    """Return the change with its times in Shanghai time."""
    snapshot = change.operation == "snapshot"
    time = change.at.astimezone(SHANGHAI).strftime("%Y%m%d%H%M%S")
    record = {
        "BINLOG_NAME": "mysql-bin.000003",
        "BINLOG_POS": 154 + (0 if snapshot else 330 * change.number),
        "DATABASE": DATABASE,
        "EVENT_SERVER_ID": None,
        "GLOBAL_ID": None,
        "GROUP_ID": None,
        "NEW_VALUES": image(change.after, value),
        "OLD_VALUES": image(change.before, value),
        "TABLE": TABLE,
        # In the sample insert this is the epoch in Shanghai time: read as a row of a full load.
        "TIME": "19700101080000" if snapshot else time,
        "TYPE": "I" if snapshot else change.operation[0].upper(),
    }
    return [Message(json_text(record).encode())]


def encode(change: Change) -> list[Message]:
    """Return the change with all values as text."""
    return message(change, cell)


# design.md counts CKafka among the dialects that write decimals as bare numbers.
VARIANTS = {"bare numbers": lambda change: message(change, bare_cell)}
