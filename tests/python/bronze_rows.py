"""Bronze rows of a test's own, where the way through a broker is not what is tested."""

import datetime
from typing import Any

from changelake.core import settings

BronzeRow = tuple[Any, ...]


def bronze_row(
    feed: str, topic: str, partition: int, offset: int, at: datetime.datetime,
    value: bytes | None, key: bytes | None = None,
) -> BronzeRow:  # fmt: skip
    """Return a row of bronze: a message that Kafka got and landing wrote at the same moment."""
    payloads = (None if one is None else bytearray(one) for one in (key, value))
    return (feed, topic, partition, offset, at, None, *payloads, at, at.date())


def append_to_bronze(spark: Any, format_id: str, rows: list[BronzeRow], files: int = 1) -> None:
    """Append rows to a format's bronze table: in their order, if it is one file."""
    path = settings.bronze(format_id)
    schema = spark.read.format("delta").load(path).schema
    frame = spark.createDataFrame(rows, schema)
    frame = frame.coalesce(1) if files == 1 else frame.repartition(files)
    frame.write.format("delta").mode("append").save(path)
