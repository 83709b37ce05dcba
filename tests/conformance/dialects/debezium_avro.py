"""Debezium's messages of the other dialect, as Confluent's AvroConverter writes them."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from changes import Change, Message
from connect_avro import Registry
from dialects import debezium

FORMAT = "debezium_avro"
ZONE, KEY_KNOWN = debezium.ZONE, debezium.KEY_KNOWN
DIFFERENT, VARIANT_DIFFERENT = debezium.DIFFERENT, debezium.VARIANT_DIFFERENT
REGISTRY = Registry()


def part(text: bytes | None) -> bytes | None:
    """Return a key or a value, of JSON with its schema part, in Avro."""
    if text is None:
        return None
    held: dict[str, Any] = json.loads(text)
    return REGISTRY.message(held["schema"], held["payload"])


def messages(change: Change, flat: bool, textual: bool) -> list[Message]:
    """Return the records of a change."""
    return [
        Message(part(one.value), part(one.key))
        for one in debezium.messages(change, flat=flat, textual=textual)
    ]


encode = partial(messages, flat=False, textual=False)
VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "flattened": partial(messages, flat=True, textual=False),
    "decimals as text, unsigned precise": partial(messages, flat=False, textual=True),
}
WITH_SCHEMA_FILE = {"": (encode, debezium.WITH_SCHEMA_FILE[""][1])}
