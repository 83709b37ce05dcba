"""Lands a batch that Spark's Kafka source cannot read, because of an impossible timestamp.

Spark turns the milliseconds of each message into microseconds before anything else sees it, and
fails where they overflow: a producer that writes nanoseconds there would stop its feed for good.
Such a batch is read by a Kafka consumer in the driver instead, and appended to bronze under the id
that the query would have given it. When restarted, the query finds it there, marks it as done and
continues.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.kafka.client import Partition
from changelake.landing.checkpoints import Checkpoint, Progress
from changelake.landing.rows import bronze_rows
from changelake.spark.hadoop_files import HadoopFiles
from changelake.spark.jvm import java_packages

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A file of JSON beside the checkpoint's, while the batch is read.
MESSAGES = "changelake-messages.json"
POLL_MILLISECONDS = 1000
SILENT_SECONDS = 120.0
# The fields of Kafka's own classes; a header holds its key and its value in one of two forms each.
SCHEMA = """
topic string, partition int, offset bigint, timestamp bigint, key binary, value binary,
headers struct<headers: array<
    struct<key: string, keyBuffer: binary, value: binary, valueBuffer: binary>>>
"""
# Not in a dbt model, since landing has neither dbt nor a catalog.
#
# If another Kafka version renames these fields, that must not silently become null.
HEADERS = """
case
    when timestamp is null or headers.headers is null
        then raise_error('kafka-clients has other fields than those that landing knows')
    when size(headers.headers) > 0 then transform(
        headers.headers,
        one -> struct(
            coalesce(one.key, make_valid_utf8(cast(one.keyBuffer as string))) as key,
            coalesce(one.value, one.valueBuffer) as value
        )
    )
end
"""


def is_odd_time(cause: str) -> bool:
    """Say whether a query ended because of a timestamp that Spark's Kafka source cannot read."""
    return cause == "long overflow (ArithmeticException)"


def land_batch(
    spark: "SparkSession",
    feed: Feed,
    checkpoint: Checkpoint,
    bronze: str,
    properties: Mapping[str, str],
    goes_on: Callable[[], bool],
    **options: str,
) -> None:
    """Land the batch that a feed's query has planned and could not read.

    Args:
        spark: the session.
        feed: the feed.
        checkpoint: that of its query, which has ended.
        bronze: where its bronze table lies.
        properties: settings of the Kafka client, servers included.
        goes_on: called repeatedly; False ends it with nothing landed.
        options: further options of the writer.

    Raises:
        UserError: the messages cannot be read.
    """
    progress = checkpoint.progress()
    files = HadoopFiles(spark, checkpoint.path)
    try:
        if _read(spark, feed, progress, files, properties, goes_on):
            messages = _messages(spark, progress, files.location(MESSAGES))
            landed_at = f"timestamp_millis({checkpoint.landed_at()})"
            (
                bronze_rows(messages, feed.feed, "timestamp", landed_at)
                .write.format("delta")
                .mode("append")
                # the ids that the query itself uses: a batch that is there is not appended again
                .option("txnAppId", checkpoint.query() or "")
                .option("txnVersion", str(progress.last_batch or 0))
                .options(**options)
                .save(bronze)
            )
    finally:
        files.delete(MESSAGES)


def _read(
    spark: Any,
    feed: Feed,
    progress: Progress,
    files: HadoopFiles,
    properties: Mapping[str, str],
    goes_on: Callable[[], bool],
) -> bool:
    jvm = java_packages(spark)
    own = {"enable.auto.commit": "false", "auto.offset.reset": "none"}
    decoder = jvm.org.apache.kafka.common.serialization.ByteArrayDeserializer
    poll = jvm.java.time.Duration.ofMillis(POLL_MILLISECONDS)
    consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(
        {**properties, **own}, decoder(), decoder()
    )
    try:
        with files.stream(MESSAGES) as stream:
            writer = _json_writer(jvm).writeValues(stream)
            pending = _seek(jvm, consumer, progress)
            until = time.monotonic() + SILENT_SECONDS
            while pending:
                if not goes_on():
                    return False
                records = consumer.poll(poll)
                if not records.isEmpty():
                    writer.writeAll(records)
                    until = time.monotonic() + SILENT_SECONDS
                elif time.monotonic() > until:
                    raise UserError(
                        f"feed {feed.feed}: the broker has stopped sending messages: see its"
                        " log, and run again: nothing is lost"
                    )
                for place, end in list(pending.items()):
                    if consumer.position(place) >= end:
                        consumer.pause([place])
                        del pending[place]
            writer.flush()
    finally:
        consumer.close()
    return True


def _seek(jvm: Any, consumer: Any, progress: Progress) -> dict[Any, int]:
    """Seek a consumer to the start of the batch; return its end in each partition."""
    ranges = _ranges(progress)
    places = {one: jvm.org.apache.kafka.common.TopicPartition(*one) for one in ranges}
    consumer.assign(list(places.values()))
    for one, (start, _) in ranges.items():
        consumer.seek(places[one], start)
    return {places[one]: end for one, (_, end) in ranges.items()}


def _ranges(progress: Progress) -> dict[Partition, tuple[int, int]]:
    starts = progress.next_offsets
    return {
        one: (starts.get(one, 0), end)
        for one, end in progress.planned.items()
        if starts.get(one, 0) < end
    }


def _json_writer(jvm: Any) -> Any:
    # One call into Java for all messages of a fetch: one per field takes a thousand times longer.
    jackson = jvm.com.fasterxml.jackson
    mapper = jackson.databind.ObjectMapper()
    mapper.setVisibility(
        jackson.annotation.PropertyAccessor.FIELD, jackson.annotation.JsonAutoDetect.Visibility.ANY
    )
    optional = jvm.java.lang.Class.forName("java.util.Optional")
    mapper.configOverride(optional).setIsIgnoredType(True)
    return mapper.writer().withRootValueSeparator("\n")


def _messages(spark: "SparkSession", progress: Progress, file: str) -> "DataFrame":
    from pyspark.sql import functions as f

    ends = spark.createDataFrame(
        [(topic, number, end) for (topic, number), (_, end) in _ranges(progress).items()],
        "topic string, partition int, end bigint",
    )
    options = {"mode": "FAILFAST", "maxStringLen": str(2**31 - 1)}
    return (
        spark.read.schema(SCHEMA)
        .options(**options)
        .json(file)
        .join(f.broadcast(ends), ["topic", "partition"])
        .where("offset < end")
        .withColumn("headers", f.expr(HEADERS))
    )
