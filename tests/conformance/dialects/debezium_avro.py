"""The messages of `debezium` as Confluent's AvroConverter writes them."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from changes import COLUMNS, Change, Message
from connect_avro import Registry
from dialects import debezium

FORMAT = "debezium_avro"
ZONE, KEY_KNOWN = debezium.ZONE, debezium.KEY_KNOWN
DIFFERENT, VARIANT_DIFFERENT = debezium.DIFFERENT, debezium.VARIANT_DIFFERENT
REGISTRY = Registry()


def avro_name(name: str) -> str:
    """Return a name as Debezium's `field.name.adjustment.mode=avro` writes it."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


RENAMED = {one.name: avro_name(one.name) for one in COLUMNS if one.name != avro_name(one.name)}


def avro_part(text: bytes | None) -> bytes | None:
    """Return a key or a value in Avro, converted from JSON with a schema part."""
    if text is None:
        return None
    document: dict[str, Any] = json.loads(text)
    schema = document["schema"]
    return REGISTRY.message(_schema(schema), _value(schema, document["payload"]))


def _schema(kind: dict[str, Any]) -> dict[str, Any]:
    found = dict(kind)
    if "fields" in kind:
        found["fields"] = [
            {**_schema(one), "field": avro_name(one["field"])} for one in kind["fields"]
        ]
    return found


def _value(kind: dict[str, Any], value: Any) -> Any:
    if value is None or "fields" not in kind:
        return value
    return {avro_name(one["field"]): _value(one, value.get(one["field"])) for one in kind["fields"]}


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
# A schema file has names that the messages cannot have.
WITH_SCHEMA_FILE: dict[str, Any] = {}
