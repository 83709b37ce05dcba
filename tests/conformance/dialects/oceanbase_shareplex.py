"""OceanBase's OMS, serialization SharePlex: an update has its changes, and the old row as key.

Times of changes have no zone; messages carry neither types nor the names of key columns.
"""

import datetime
from collections.abc import Callable
from functools import partial
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Message
from dialects._shared import (
    UNTYPED_BITS,
    UNTYPED_BYTES,
    json_text,
    oceanbase_image,
    oceanbase_sequence,
)

FORMAT = "oceanbase_shareplex"
ZONE = "Asia/Shanghai"
KEY_KNOWN = False
DIFFERENT = UNTYPED_BYTES | UNTYPED_BITS

SHANGHAI = datetime.timezone(datetime.timedelta(hours=8))
# The full load has no operation of its own (line 908).
OPERATIONS = {"snapshot": "ins", "insert": "ins", "update": "upd", "delete": "del"}


def meta_of(change: Change, ordered: bool) -> dict[str, Any]:
    """Return the metadata; if not ordered, without the fields that options add."""
    row = change.row
    # In the samples the time is that of the epoch, eight hours east (lines 945, 951).
    time = change.at.astimezone(SHANGHAI).strftime("%Y-%m-%dT%H:%M:%S")
    meta = {
        "posttime": time,
        "op": OPERATIONS[change.operation],
        "size": 1,
        "time": time,
        "idx": "1/1",
        "table": f"{DATABASE}.{TABLE}",
        "rowid": f"{DATABASE}.{TABLE}-{row[KEY]}",
    }
    if ordered:
        # text in the template, a number in the samples (lines 912, 953)
        meta |= {"seq": 1, "trans": f"transaction_{change.number}"}
        if change.operation != "snapshot":
            meta["scn"] = str(oceanbase_sequence(change))
    return meta


def encode(change: Change, ordered: bool = True) -> list[Message]:
    """Return the change's message.

    Args:
        change: what happened.
        ordered: whether the producer is set to write sequences and transactions.
    """
    row = change.row
    if change.operation == "update":
        row = row.part(change.changed)
    message = {"data": oceanbase_image(row), "meta": meta_of(change, ordered)}
    if change.operation == "update":
        message["key"] = oceanbase_image(change.before)
    return [Message(json_text(message).encode())]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "without_sequence": partial(encode, ordered=False),
}
