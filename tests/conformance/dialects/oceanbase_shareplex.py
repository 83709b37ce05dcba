"""OceanBase's OMS, serialization SharePlex: an update has what changed, and the old row as key.

Times of the change stand without a zone; neither types nor the key's columns are told.
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
# a full load has no operation of its own (line 908)
OPERATIONS = {"snapshot": "ins", "insert": "ins", "update": "upd", "delete": "del"}


def meta_of(change: Change, ordered: bool) -> dict[str, Any]:
    """Return the metadata; without the options' fields if not ordered."""
    row = change.row
    # the samples' time is that of their epochs eight hours east (lines 945, 951)
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
        # a text in the template, a number in the samples (lines 912, 953)
        meta |= {"seq": 1, "trans": f"transaction_{change.number}"}
        if change.operation != "snapshot":
            meta["scn"] = str(oceanbase_sequence(change))
    return meta


def encode(change: Change, ordered: bool = True) -> list[Message]:
    """Return the change's message.

    Args:
        change: what happens.
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
