"""Avro's binary encoding for samples and tests, so that Spark reads what it did not write itself.

Values are as in JSON: a record is an object or a list of its fields' values; a union's value is
null, a text, a list, an int, or an object with the branch's name as its key; bytes are a text, or
an object with the key `hex`.
"""

import json
import struct
from typing import Any

from changelake.core.macros import macro_text

DRS_HEADER = bytes.fromhex("c3014e9ea30940ac78cc")
_EMPTY = 0xC15D213AA4D7A795


def schema_of(format_id: str) -> dict[str, Any]:
    """Return the schema of a format, from its macro."""
    schema: dict[str, Any] = json.loads(macro_text(f"formats/{format_id}", f"{format_id}_schema"))
    return schema


def encode(schema: Any, value: Any, known: dict[str, Any] | None = None) -> bytes:
    """Return a value encoded as a datum of a schema.

    Args:
        schema: the schema as JSON.
        value: the value to encode.
        known: the named types; by default they are collected from the schema.

    Raises:
        ValueError: a union has no branch for the value.
    """
    if known is None:
        known = {}
        _register(schema, known)
    if isinstance(schema, list):
        return _union(schema, value, known)
    if isinstance(schema, str):
        schema = known.get(schema, {"type": schema})
    declared: dict[str, Any] = schema
    kind = declared["type"]
    if kind == "record":
        fields = declared["fields"]
        values = value if isinstance(value, list) else [value.get(one["name"]) for one in fields]
        pairs = zip(fields, values, strict=True)
        return b"".join(encode(field["type"], one, known) for field, one in pairs)
    if kind == "array":
        items = b"".join(encode(declared["items"], one, known) for one in value)
        return (_long(len(value)) + items if value else b"") + b"\0"
    if kind == "map":
        pairs = value.items()
        items = b"".join(
            encode("string", name) + encode(declared["values"], one, known) for name, one in pairs
        )
        return (_long(len(value)) + items if value else b"") + b"\0"
    if kind == "enum":
        return _long(declared["symbols"].index(value))
    if kind in ("float", "double"):
        return struct.pack("<f" if kind == "float" else "<d", value)
    if kind == "boolean":
        return b"\1" if value else b"\0"
    if kind in ("string", "bytes"):
        data = bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()
        return _long(len(data)) + data
    return b"" if kind == "null" else _long(value)


def _register(schema: Any, known: dict[str, Any]) -> None:
    if isinstance(schema, list):
        for branch in schema:
            _register(branch, known)
    elif isinstance(schema, dict):
        if "name" in schema:
            known[schema["name"]] = schema
        if "namespace" in schema:
            known[f"{schema['namespace']}.{schema['name']}"] = schema
        for field in schema.get("fields", ()):
            _register(field["type"], known)
        for part in ("items", "values"):
            _register(schema.get(part), known)


def _union(branches: list[Any], value: Any, known: dict[str, Any]) -> bytes:
    names = {type(None): "null", str: "string", list: "array", int: "int"}
    if type(value) in names:
        name = names[type(value)]
    else:
        ((name, value),) = value.items()
    found = None
    for place, branch in enumerate(branches):
        named = branch if isinstance(branch, str) else branch.get("name", branch["type"])
        if named.rpartition(".")[2] == name:
            found = place
    if found is None:
        raise ValueError(f"the union has no branch {name}")
    return _long(found) + encode(branches[found], value, known)


def _long(value: int) -> bytes:
    """Return the zigzag encoding, seven bits per byte, lowest bits first."""
    rest = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*out, rest])


def canonical(schema: Any, space: str = "") -> str:
    """Return a schema in Avro's Parsing Canonical Form.

    Args:
        schema: the schema as JSON.
        space: the enclosing namespace.
    """
    if isinstance(schema, list):
        return "[" + ",".join(canonical(one, space) for one in schema) + "]"
    if isinstance(schema, str):
        primitive = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
        return json.dumps(schema if schema in primitive else f"{space}.{schema}")
    space = schema.get("namespace", space)
    kind = json.dumps(schema["type"])
    if schema["type"] == "array":
        return f'{{"type":{kind},"items":{canonical(schema["items"], space)}}}'
    if schema["type"] == "map":
        return f'{{"type":{kind},"values":{canonical(schema["values"], space)}}}'
    name = json.dumps(f"{space}.{schema['name']}")
    if schema["type"] == "enum":
        symbols = ",".join(json.dumps(one) for one in schema["symbols"])
        return f'{{"name":{name},"type":{kind},"symbols":[{symbols}]}}'
    fields = ",".join(
        f'{{"name":{json.dumps(one["name"])},"type":{canonical(one["type"], space)}}}'
        for one in schema["fields"]
    )
    return f'{{"name":{name},"type":{kind},"fields":[{fields}]}}'


def fingerprint(schema: Any) -> bytes:
    """Return a schema's CRC-64-AVRO, as in a single-object header."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (_EMPTY if byte & 1 else 0)
        table.append(byte)
    crc = _EMPTY
    for byte in canonical(schema).encode():
        crc = (crc >> 8) ^ table[(crc ^ byte) & 0xFF]
    return crc.to_bytes(8, "little")
