"""Kafka Connect's data in Avro, as Confluent's AvroConverter and Apicurio's converter write it.

It is converted from data with a schema part in JsonConverter's JSON, so that the writers of
Debezium's JSON can be used here too. Written from the converters' documentation.
"""

import base64
import json
from typing import Any

from avro import encode

PLAIN = {
    "int8": "int", "int16": "int", "int32": "int", "int64": "long", "float": "float",
    "float32": "float", "double": "double", "float64": "double", "boolean": "boolean",
    "string": "string", "bytes": "bytes",
}  # fmt: skip
LOGICAL = {
    "org.apache.kafka.connect.data.Decimal": "decimal",
    "org.apache.kafka.connect.data.Date": "date",
    "org.apache.kafka.connect.data.Time": "time-millis",
    "org.apache.kafka.connect.data.Timestamp": "timestamp-millis",
}


def avro_schema(connect: dict[str, Any]) -> Any:
    """Return the Avro schema that a converter registers for a Connect schema."""
    return _schema(connect, set())


def _schema(connect: dict[str, Any], named: set[str]) -> Any:
    kind, name = connect["type"], connect.get("name")
    parameters = connect.get("parameters", {})
    if kind == "struct" and name in named:
        # From the second time on, a type is given by its name alone.
        found: Any = name
    else:
        found = _type(connect, named)
        if kind in ("int8", "int16"):
            found["connect.type"] = kind
        if parameters:
            found["connect.parameters"] = parameters
        if name:
            found |= {"connect.name": name, "connect.version": connect.get("version", 1)}
        if logical := LOGICAL.get(str(name)):
            found["logicalType"] = logical
        if logical == "decimal":
            found["scale"] = int(parameters["scale"])
            found["precision"] = int(parameters.get("connect.decimal.precision", 64))
        if list(found) == ["type"]:
            found = found["type"]
    return ["null", found] if connect.get("optional") else found


def _type(connect: dict[str, Any], named: set[str]) -> dict[str, Any]:
    kind = connect["type"]
    if kind == "struct":
        space, _, name = connect.get("name", "ConnectDefault").rpartition(".")
        named.add(connect.get("name", "ConnectDefault"))
        fields: list[dict[str, Any]] = [
            {"name": field["field"], "type": _schema(field, named)}
            | ({"default": None} if field.get("optional") else {})
            for field in connect["fields"]
        ]
        return {"type": "record", "name": name, "namespace": space, "fields": fields}
    if kind == "array":
        return {"type": "array", "items": _schema(connect["items"], named)}
    if kind == "map":
        return {"type": "map", "values": _schema(connect["values"], named)}
    return {"type": PLAIN[kind]}


def avro_datum(connect: dict[str, Any], value: Any) -> bytes:
    """Return a value encoded as a datum; the value is as in JsonConverter's JSON, bytes in Base64.

    Args:
        connect: the Connect schema.
        value: in structs, null fields may be missing.
    """
    return encode(avro_schema(connect), _value(connect, value))


def _value(connect: dict[str, Any], value: Any) -> Any:
    if value is None:
        return None
    kind = connect["type"]
    if kind == "struct":
        value = {one["field"]: _value(one, value.get(one["field"])) for one in connect["fields"]}
    elif kind == "array":
        value = [_value(connect["items"], one) for one in value]
    elif kind == "map":
        value = {name: _value(connect["values"], one) for name, one in value.items()}
    elif kind == "bytes":
        value = {"hex": base64.b64decode(value).hex()}
    elif kind in ("float", "float32", "double", "float64"):
        value = float(value)
    if not connect.get("optional"):
        return value
    branch = _schema({**connect, "optional": False}, set())
    return {branch if isinstance(branch, str) else branch.get("name", branch["type"]): value}


class Registry:
    """A registry's schemas by id; ids are assigned in order.

    Args:
        id_bytes: the size of an id in a header: 4, or 8 with Apicurio's own converter.
        first_id: the id of the first schema, so that registries of one lake can have distinct ids.
    """

    def __init__(self, id_bytes: int = 4, first_id: int = 1) -> None:
        self._id_bytes, self._first_id = id_bytes, first_id
        self.texts: list[str] = []

    def message(self, connect: dict[str, Any], value: Any) -> bytes:
        """Return a message: the header followed by the datum."""
        return self.header(json.dumps(avro_schema(connect))) + avro_datum(connect, value)

    def header(self, text: str) -> bytes:
        """Return the header of a schema's data; register the schema if it is new."""
        if text not in self.texts:
            self.texts.append(text)
        return b"\0" + (self.texts.index(text) + self._first_id).to_bytes(self._id_bytes, "big")
