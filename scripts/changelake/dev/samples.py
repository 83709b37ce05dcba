"""The sample messages: seeds/samples, published to a broker as their producers would."""

import base64
import csv
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from changelake.core import settings
from changelake.core.feeds import Feed
from changelake.core.quoting import sql_string
from changelake.kafka.client import KafkaCluster

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def publish(spark: "SparkSession", servers: str, feeds: list[Feed]) -> int:
    """Publish the samples to their topics, unless these hold messages already.

    Args:
        spark: the session, whose Kafka sink writes them.
        servers: HOST:PORT of the broker.
        feeds: the samples' feeds, of one topic each.

    Returns:
        How many messages were published.
    """
    with KafkaCluster(spark, servers, {}) as cluster:
        for feed in feeds:
            cluster.create_topic(feed.topics[0])
        offsets = cluster.offsets((feed.topics[0], 0) for feed in feeds)
    samples = [
        sample
        for feed in feeds
        if len(set(offsets[feed.topics[0], 0])) == 1
        for sample in read_samples(feed)
    ]
    if not samples:
        return 0
    schema = (
        "topic string, number int, key binary, value binary,"
        " headers array<struct<key: string, value: string>>"
    )
    frame = spark.createDataFrame(samples, schema).selectExpr(
        "topic", "number", "key", "value",
        "if(size(headers) = 0, null, transform(headers,"
        " h -> struct(h.key as key, unbase64(h.value) as value))) as headers",
    )  # fmt: skip
    frame.coalesce(1).sortWithinPartitions("topic", "number").drop("number").write.format(
        "kafka"
    ).options(**{"kafka.bootstrap.servers": servers, "includeHeaders": "true"}).save()
    return len(samples)


def read_samples(feed: Feed) -> Iterator[tuple[Any, ...]]:
    """Return a feed's samples: topic, number, key, value and headers of each."""
    path = settings.REPO / "seeds" / "samples" / f"{feed.format}_messages.csv"
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file)):
            headers = json.loads(row.get("headers") or "{}").items()
            yield (
                feed.topics[0],
                number,
                _sample_part(row, "key"),
                _sample_part(row, "value"),
                [(name, base64.b64encode(str(text).encode()).decode()) for name, text in headers],
            )


def _sample_part(row: dict[str, str], part: str) -> bytes | None:
    """Return a sample's key or value; a binary one stands as Base64 in a column of its own."""
    if text := row.get(f"{part}_base64"):
        return base64.b64decode(text)
    return row[part].encode() if row.get(part) else None


def register_bronze(spark: "SparkSession", feeds: list[Feed]) -> None:
    """Register landed bronze in the catalog, where target sample otherwise has its seeds."""
    spark.sql("create schema if not exists bronze")
    for one in feeds:
        location = sql_string(settings.bronze(one.format))
        spark.sql(f"create table if not exists bronze.{one.format} using delta location {location}")
