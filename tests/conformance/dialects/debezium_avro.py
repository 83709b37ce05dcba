"""The messages of `debezium`, as Confluent's AvroConverter writes them."""

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


def avro_part(text: bytes | None) -> bytes | None:
    """Return a key or a value in Avro, from JSON with its schema part."""
    if text is None:
        return None
    document: dict[str, Any] = json.loads(text)
    return REGISTRY.message(document["schema"], document["payload"])


def messages(change: Change, flat: bool, textual: bool) -> list[Message]:
    """Return the records of a change."""
    return [
        Message(avro_part(one.value), avro_part(one.key))
        for one in debezium.messages(change, flat=flat, textual=textual)
    ]


encode = partial(messages, flat=False, textual=False)
VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "flattened": partial(messages, flat=True, textual=False),
    "decimals as text, unsigned precise": partial(messages, flat=False, textual=True),
}
WITH_SCHEMA_FILE = {"": (encode, debezium.WITH_SCHEMA_FILE[""][1])}
