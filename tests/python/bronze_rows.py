"""Bronze rows for tests that do not need messages to pass through a broker."""

import datetime
from collections import Counter
from typing import Any

from changelake.core import settings

BronzeRow = tuple[Any, ...]
# for messages whose time does not matter; MILLIS is AT in milliseconds since 1970
AT = datetime.datetime(2026, 3, 1, 8)
MILLIS = 1_772_352_000_000


def bronze_row(
    feed: str, topic: str, partition: int, offset: int, at: datetime.datetime,
    value: bytes | None, key: bytes | None = None,
) -> BronzeRow:  # fmt: skip
    """Return a bronze row: a message with the same Kafka and landing time."""
    payloads = (None if one is None else bytearray(one) for one in (key, value))
    return (feed, topic, partition, offset, at, None, *payloads, at, at.date())


class Offsets:
    """Gives each message the next offset of its partition, as a broker does."""

    def __init__(self) -> None:
        self._next: Counter[tuple[str, int]] = Counter()

    def row(
        self, feed: str, topic: str, partition: int, at: datetime.datetime, value: bytes
    ) -> BronzeRow:
        """Return the bronze row of a message."""
        offset = self._next[topic, partition]
        self._next[topic, partition] += 1
        return bronze_row(feed, topic, partition, offset, at, value)


def append_to_bronze(spark: Any, format_id: str, rows: list[BronzeRow], files: int = 1) -> None:
    """Append rows to a format's bronze table; one file keeps their order."""
    path = settings.bronze(format_id)
    schema = spark.read.format("delta").load(path).schema
    frame = spark.createDataFrame(rows, schema)
    frame = frame.coalesce(1) if files == 1 else frame.repartition(files)
    frame.write.format("delta").mode("append").save(path)
