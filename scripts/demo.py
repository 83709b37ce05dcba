#!/usr/bin/env python3
"""Shows the way from Kafka to current tables with the sample messages and a local broker."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import base64
import csv
import json
from typing import Annotated, Any

import typer
from rich.console import Console

from changelake import settings
from changelake.broker import Broker
from changelake.build import build_news
from changelake.errors import UserError, one_line_errors
from changelake.feeds import read_feeds
from changelake.kafka_client import KafkaCluster
from changelake.landing import land
from changelake.landing_report import LandingReport
from changelake.spark import spark_session
from changelake.sql import EmbeddedLake, print_result
from changelake.terminal import Terminal

PREFIX = "demo_"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(port: Annotated[int, typer.Option(help="The local broker's port.")] = 9092) -> None:
    """Start a broker, publish the samples, land and build them, and show the tables."""
    console = Terminal()
    feeds = [feed for feed in read_feeds() if feed.feed.startswith(PREFIX)]
    if not feeds:
        raise UserError(f"seeds/feeds.csv has no feed {PREFIX}…: the demo has nothing to read")
    settings.expect_little_data()
    broker = Broker(port=port)
    was_running = broker.running() is not None
    step(console, "a local Kafka broker")
    port = broker.start()
    servers = f"127.0.0.1:{port}"
    console.print(f"  {servers}, data in {settings.kafka_directory()}")
    try:
        spark = spark_session("changelake demo", "local", hive=True)
        step(console, "the sample messages of every format, published to their topics")
        for feed in feeds:
            count = publish(spark, servers, feed.format, feed.topics[0])
            console.print(f"  {feed.topics[0]:34} {count or 'already there'}")
        step(console, "landed in bronze, as they are")
        with LandingReport(console) as report:
            report.summary(land(spark, feeds, servers, report=report.update))
        step(console, "built: events, and the tables they make")
        built = build_news(spark, "local", feeds, console)
        if built.failed or built.failed_tests:
            raise UserError(f"{(built.failed + built.failed_tests)[0].name} failed")
        show(console)
    finally:
        if not was_running:
            broker.stop()


def step(console: Console, text: str) -> None:
    """Print a heading."""
    console.print(f"\n[bold]{text}[/]", markup=True)


def publish(spark: Any, servers: str, format_id: str, topic: str) -> int:
    """Publish a format's samples, unless the topic holds messages already.

    Args:
        spark: the session, whose Kafka sink writes them.
        servers: HOST:PORT of the broker.
        format_id: the format; its samples are seeds/samples/<format>_messages.csv.
        topic: where to; made with one partition if it is not there.

    Returns:
        How many messages were published.
    """
    with KafkaCluster(spark, servers, {}) as cluster:
        cluster.create_topic(topic)
        low, high = cluster.offsets([(topic, 0)])[(topic, 0)]
    if high > low:
        return 0
    path = settings.REPO / "seeds" / "samples" / f"{format_id}_messages.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = [
            (
                number,
                row["key"].encode() if row["key"] else None,
                _sample_value(row),
                [
                    (name, base64.b64encode(str(text).encode()).decode())
                    for name, text in json.loads(row.get("headers") or "{}").items()
                ],
            )
            for number, row in enumerate(csv.DictReader(file))
        ]
    schema = (
        "number int, key binary, value binary, headers array<struct<key: string, value: string>>"
    )
    frame = spark.createDataFrame(rows, schema).selectExpr(
        "number", "key", "value",
        "if(size(headers) = 0, null, transform(headers,"
        " h -> struct(h.key as key, unbase64(h.value) as value))) as headers",
    )  # fmt: skip
    frame.coalesce(1).sortWithinPartitions("number").drop("number").write.format("kafka").options(
        **{"kafka.bootstrap.servers": servers, "topic": topic, "includeHeaders": "true"}
    ).save()
    return len(rows)


def _sample_value(row: dict[str, str]) -> bytes | None:
    """Return a sample's value; a binary format's stands as Base64 in a column of its own."""
    if row.get("value_base64"):
        return base64.b64decode(row["value_base64"])
    return row["value"].encode() if row.get("value") else None


def show(console: Console) -> None:
    """Print what came of the messages, the rejects, and the current and history tables."""
    lake = EmbeddedLake("local")
    step(console, "what became of each message (silver.message_counts)")
    print_result(
        lake.run(
            "select format, outcome, sum(messages) as messages from silver.message_counts"
            f" where startswith(feed, '{PREFIX}') group by all order by all"
        ),
        "table",
    )
    step(console, "messages that give no event, with the reason (silver.rejected_messages)")
    print_result(
        lake.run(
            "select format, kafka_offset, reject_reason, reject_detail,"
            " left(cast(value as string), 40) as value from silver.rejected_messages"
            f" where startswith(feed, '{PREFIX}') order by all"
        ),
        "table",
    )
    models = settings.REPO / "models"
    for schema, order in (("current", "1"), ("history", "1, _valid_from, _kafka_offset")):
        for model in sorted((models / schema / "samples").glob("*.sql")):
            table = f"{schema}.{model.stem.removesuffix('__history')}"
            step(console, table)
            names, lines = lake.run(
                "select * except (_undecodable, _committed_at, _feed, _kafka_topic,"
                f" _kafka_partition) from {table} order by {order}"
            )
            rows = list(lines)
            print_result((names, iter(rows)), "table")
            if not rows:
                raise UserError(f"{table} is empty, and the samples have rows for it")
    console.print('\nNow ask it something:  scripts/sql.py "select * from silver.change_events"')


if __name__ == "__main__":
    app()
