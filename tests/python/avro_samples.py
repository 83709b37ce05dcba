"""Writes the sample messages of the Avro dialects from tests/fixtures/<format>/samples.json.

    .venv/bin/python tests/python/avro_samples.py

A line is a record as `avro.encode()` takes it; a line without the last field is encoded without it.
`header` is what precedes a DRS record, in hexadecimal, instead of its usual header, or false for no
header. `{"hex": …}` gives the raw bytes, `{"tombstone": true}` is a message without a value.

Debezium's messages have keys too: a key or value is the name of one of the schemas, which are those
of Kafka Connect, and its data. Landing would read their Avro schemas from a registry; here they are
in seeds/samples/debezium_avro_schemas.csv.
"""

import base64
import csv
import io
import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from avro import DRS_HEADER, encode, schema_of
from changelake.core import settings
from changelake.landing.registry import kept_text
from connect_avro import Registry

FORMATS = ("drs_avro", "dts_avro", "debezium_avro")
FIRST = datetime(2026, 3, 1, 8)


def fixture(format_id: str) -> Path:
    """Return the file with a format's sample messages as JSON."""
    return settings.REPO / "tests" / "fixtures" / format_id / "samples.json"


def samples(format_id: str) -> list[tuple[bytes | None, bytes | None]]:
    """Return the keys and values of a format's sample messages."""
    if format_id == "debezium_avro":
        return connect_samples()[0]
    return [(None, value) for value in _values(format_id)]


def connect_samples() -> tuple[list[tuple[bytes | None, bytes | None]], Registry]:
    """Return the keys and values of Debezium's sample messages, and a registry of their schemas."""
    given = json.loads(fixture("debezium_avro").read_text(encoding="utf-8"))
    registry = Registry()

    def part(named: list[Any] | None) -> bytes | None:
        return registry.message(given["schemas"][named[0]], named[1]) if named else None

    def value(line: dict[str, Any]) -> bytes | None:
        return bytes.fromhex(line["hex"]) if "hex" in line else part(line.get("value"))

    messages = [(part(line.get("key")), value(line)) for line in given["messages"]]
    return messages, registry


def schemas_csv() -> str:
    """Return the text of seeds/samples/debezium_avro_schemas.csv."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["header", "schema"])
    _, registry = connect_samples()
    for text in registry.texts:
        writer.writerow([registry.header(text).hex().upper(), kept_text(text)])
    return out.getvalue()


def _values(format_id: str) -> list[bytes | None]:
    schema = schema_of(format_id)
    values: list[bytes | None] = []
    for line in json.loads(fixture(format_id).read_text(encoding="utf-8")):
        if line.get("tombstone"):
            values.append(None)
        elif "hex" in line:
            values.append(bytes.fromhex(line["hex"]))
        else:
            header = line.pop("header", DRS_HEADER.hex() if format_id == "drs_avro" else "")
            fields = [field for field in schema["fields"] if field["name"] in line]
            assert set(line) == {field["name"] for field in fields}
            datum = encode({**schema, "fields": fields}, line)
            values.append(bytes.fromhex(header or "") + datum)
    return values


def sample_csv(format_id: str) -> str:
    """Return the text of seeds/samples/<format>_messages.csv."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["feed", "kafka_topic", "kafka_partition", "kafka_offset", "kafka_timestamp",
         "key_base64" if format_id == "debezium_avro" else "key", "value_base64"]
    )  # fmt: skip
    for offset, message in enumerate(samples(format_id)):
        time = FIRST + timedelta(seconds=offset)
        texts = ["" if part is None else base64.b64encode(part).decode() for part in message]
        writer.writerow([f"demo_{format_id}", f"demo.{format_id}", 0, offset, time, *texts])
    return out.getvalue()


if __name__ == "__main__":
    for one in FORMATS:
        file = settings.REPO / "seeds" / "samples" / f"{one}_messages.csv"
        file.write_text(sample_csv(one), encoding="utf-8")
    file = settings.REPO / "seeds" / "samples" / "debezium_avro_schemas.csv"
    file.write_text(schemas_csv(), encoding="utf-8")
