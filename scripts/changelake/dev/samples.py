"""The sample messages: seeds/samples, published to a broker as their producers would."""

import base64
import csv
import json
from collections.abc import Iterator
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any, cast

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.core.quoting import sql_string

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Headers = list[tuple[str, str | bytes | None]]

# How long the local broker may take.
BROKER_SECONDS = 60.0


def publish(servers: str, feeds: list[Feed]) -> int:
    """Publish the samples to their topics, unless these hold messages already.

    Args:
        servers: HOST:PORT of the broker.
        feeds: the samples' feeds, of one topic each.

    Returns:
        How many messages were published.

    Raises:
        UserError: the broker does not take them.
    """
    client: dict[str, str | int | float | bool] = {"bootstrap.servers": servers}
    admin, producer = AdminClient(client), Producer(client)
    consumer = Consumer({**client, "group.id": "samples"})
    topics = [topic for feed in feeds for topic in feed.topics]
    known = admin.list_topics(timeout=BROKER_SECONDS).topics
    if new := [NewTopic(topic, 1, 1) for topic in topics if topic not in known]:
        # its futures have no type
        wait(cast("Any", admin.create_topics(new)).values())
    places = [TopicPartition(topic, 0) for topic in topics if topic in known]
    offsets = {one.topic: consumer.get_watermark_offsets(one) for one in places}
    count = 0
    for feed, topic in zip(feeds, topics, strict=True):
        first, end = offsets.get(topic, (0, 0))
        if first == end:
            for key, value, headers in read_samples(feed):
                producer.produce(topic, key=key, value=value, headers=headers)
                count += 1
    consumer.close()
    if producer.flush(BROKER_SECONDS):
        raise UserError(f"the broker on {servers} does not take messages: see its log")
    return count


def read_samples(feed: Feed) -> Iterator[tuple[bytes | None, bytes | None, Headers]]:
    """Return a feed's samples: key, value and headers of each."""
    path = settings.REPO / "seeds" / "samples" / f"{feed.format}_messages.csv"
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            headers = json.loads(row.get("headers") or "{}").items()
            yield (
                _sample_part(row, "key"),
                _sample_part(row, "value"),
                [(name, str(text).encode()) for name, text in headers],
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
