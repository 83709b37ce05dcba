"""OceanBase's OMS, serialization Default: two full images and the row's metadata.

Numbers are bare with all their digits, TIMESTAMP is epoch seconds as text, bytes are Base64.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from changes import DATABASE, KEY, TABLE, Change, Message, Row
from dialects._shared import (
    UNTYPED_BITS,
    UNTYPED_BYTES,
    json_text,
    oceanbase_image,
    oceanbase_sequence,
    shortest,
)

FORMAT = "oceanbase_default"
ZONE = "UTC"
KEY_KNOWN = True
DIFFERENT = UNTYPED_BYTES | UNTYPED_BITS

Image = Callable[[Row | None], dict[str, Any] | None]


def meta_of(change: Change) -> dict[str, Any]:
    """Return the metadata that the template describes; rows of a full load have no times."""
    row = change.row
    seconds = int(change.at.timestamp())
    full = change.operation == "snapshot"
    meta = {
        # "the key's pairs" in a full load; it does not say how they are written (line 21)
        "checkpoint": f"{KEY}={row[KEY]}" if full else str(seconds),
        "record_primary_key": KEY,
        "record_primary_value": str(row[KEY]),
        "source_identity": "0" if full else "subtopic_1",
        "dbType": "OB_MYSQL",
        "storeDataSequence": oceanbase_sequence(change),
        "table_name": TABLE,
        "db": f"tenant.{DATABASE}",
        "timestamp": str(seconds),
        "uniqueId": f"unique_{change.number}",
    }
    if full:
        for name in ("storeDataSequence", "timestamp", "uniqueId"):
            del meta[name]
    return meta


def short_meta_of(change: Change) -> dict[str, Any]:
    """Return the metadata as in the samples: without a sequence, an option of the producer."""
    meta = {**meta_of(change), "checkpoint": None, "source_identity": None}
    return {name: meta[name] for name in meta if name not in ("storeDataSequence", "uniqueId")}


def encode(
    change: Change,
    image: Image = oceanbase_image,
    meta: Callable[[Change], dict[str, Any]] = meta_of,
) -> list[Message]:
    """Return the change's message."""
    message = {
        "allMetaData": meta(change),
        "prevStruct": image(change.before),
        "recordType": "ROW" if change.operation == "snapshot" else change.operation.upper(),
        "postStruct": image(change.after),
    }
    return [Message(json_text(message).encode())]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "without_sequence": partial(encode, meta=short_meta_of),
    # The table of types describes 16 digits, the samples have all (lines 1404, 1083).
    "short_doubles": partial(encode, image=partial(oceanbase_image, double=shortest)),
}
