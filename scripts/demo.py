#!/usr/bin/env python3
"""Shows the way from Kafka to current tables with the sample messages and a local broker."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import base64
import csv
import json
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from changelake import rows, settings
from changelake.broker import Broker, free_port
from changelake.build import Build, NodeResult
from changelake.errors import UserError, one_line_errors
from changelake.feeds import Feed, read_feeds
from changelake.kafka_client import KafkaCluster
from changelake.landing import land
from changelake.landing_report import size_text
from changelake.quoting import sql_string
from changelake.spark import spark_session
from changelake.sql import EmbeddedLake
from changelake.terminal import Terminal, visible

# The tables that are built and shown, one a dialect; `dbt build` has the other samples too.
TABLES = {
    "canal": "canal_shop__orders",
    "debezium": "dbz_shop__orders",
    "drs_json": "drs_shop__orders",
    "drs_json_c": "drsc_shop__parcels",
    "drs_mongo": "mongo_shop__orders",
    "drs_avro": "drsa_shop__orders",
    "oceanbase_default": "ob_shop__orders",
    "oceanbase_default_extended": "obx_shop__books",
    "oceanbase_dataworks": "omsdw_shop__orders",
    "oceanbase_shareplex": "obs_shop__stock",
    "cloudcanal_json": "cc_shop__cc_shop__invoices",
    "dts_avro": "dts_shop__orders",
    "ckafka_format_one": "ckafka_shop__orders",
    "dataworks_streamx": "streamx_shop__parcels",
}
# The changes that are followed: the dialect, the message's offset, and the table.
FOLLOWED = (
    ("canal", 6, "canal_shop__customers"),
    ("debezium", 3, "dbz_shop__orders"),
)
HISTORY = "dbz_shop__orders"
BUILT = (
    "resource_type:seed",
    "path:models/silver",
    "path:models/monitoring",
    *TABLES.values(),
    *(table for _, _, table in FOLLOWED),
    f"{HISTORY}__history",
)
# Bronze is what was landed, and not what these seeds make of it.
NOT_BUILT = ("path:seeds/samples/*_messages.csv", "resource_type:test", "resource_type:unit_test")
# What a person reads at once, and no terminal has to wrap.
WIDTH = 100
CELL = 28
# between two columns
GAP = 3
LONGEST = 480

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    port: Annotated[
        int | None, typer.Option(help="The local broker's port; by default a free one.")
    ] = None,
) -> None:
    """Start a broker, publish the samples, land and build them, and show the tables."""
    console = Terminal()
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    os.environ[settings.HOME_VARIABLE] = str(settings.home() / "demo")
    settings.expect_little_data()
    feeds = read_feeds(target="sample")
    broker = Broker(port=port or free_port())
    was_running = broker.running() is not None
    try:
        with ThreadPoolExecutor() as beside:
            with step(console, "starting a local Kafka broker, and Spark") as done:
                started = beside.submit(broker.start)
                spark = spark_session("changelake demo", "sample", hive=True)
                servers = f"127.0.0.1:{started.result()}"
                done(f"a local Kafka broker on {servers}, and Spark")
            # dbt reads the project in Python, while Java has the other core
            project = Build(spark, "sample", lambda node: None)
            parsed = beside.submit(project.parse)
            with step(console, "publishing the sample messages") as done:
                count = publish(spark, servers, feeds)
                done(
                    f"{count or 'no'} new messages published to {len(feeds)} topics, one a dialect"
                )
            with step(console, "landing them in bronze") as done:
                landed = land(spark, feeds, servers)
                size = size_text(sum(one.bytes for one in landed))
                count = sum(one.messages for one in landed)
                done(f"{count} messages ({size}) landed in bronze, as they are")
            parsed.result()
        with step(console, "building events and tables") as done:
            enter_bronze(spark, feeds)
            built = project.invoke("build", "--select", *BUILT, "--exclude", *NOT_BUILT)
            if built.failed:
                raise UserError(f"{built.failed[0].name} failed: {built.failed[0].message}")
            done(f"events of {len(feeds)} dialects and {count_tables(built.nodes)} tables built")
    finally:
        if not was_running:
            broker.stop()
    show(console)


@contextmanager
def step(console: Terminal, doing: str) -> Iterator[Any]:
    """Show in one line that something is being done, then what was done and how long it took."""
    begun = time.monotonic()
    said = doing

    def done(text: str) -> None:
        nonlocal said
        said = text

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with bar:
        bar.add_task(doing, total=None)
        yield done
    console.print(f"{time.monotonic() - begun:4.0f} s  {said}")


def count_tables(nodes: Iterable[NodeResult]) -> int:
    """Return how many of them are current and history tables."""
    tables = {*TABLES.values(), *(table for _, _, table in FOLLOWED), f"{HISTORY}__history"}
    return sum(node.name in tables for node in nodes)


def publish(spark: Any, servers: str, feeds: list[Feed]) -> int:
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
                row["key"].encode() if row["key"] else None,
                _sample_value(row),
                [(name, base64.b64encode(str(text).encode()).decode()) for name, text in headers],
            )


def _sample_value(row: dict[str, str]) -> bytes | None:
    """Return a sample's value; a binary format's stands as Base64 in a column of its own."""
    if row.get("value_base64"):
        return base64.b64decode(row["value_base64"])
    return row["value"].encode() if row.get("value") else None


def enter_bronze(spark: Any, feeds: list[Feed]) -> None:
    """Enter what was landed into the catalog, where target sample has its seeds otherwise."""
    spark.sql("create schema if not exists bronze")
    for one in feeds:
        location = sql_string(settings.bronze(one.format))
        spark.sql(f"create table if not exists bronze.{one.format} using delta location {location}")


class Shown:
    """What the lake holds, on the console.

    Args:
        console: where to.
        lake: what is asked.
    """

    def __init__(self, console: Terminal, lake: EmbeddedLake) -> None:
        self.console = console
        self.lake = lake

    def ask(self, statement: str) -> tuple[list[str], list[list[str | None]]]:
        """Return the columns of a statement and its rows, their values as texts."""
        names, lines = self.lake.run(statement)
        return names, [[rows.cell(value) for _, value in rows.parse(line)] for line in lines]

    def heading(self, text: str) -> None:
        """Print a heading."""
        self.console.print(f"\n[bold]{text}[/]", markup=True)

    def change(self, format_id: str, offset: int, table: str) -> None:
        """Print a message's value, the event that it gives, and the row that this leaves."""
        place = f"kafka_topic = 'demo.{format_id}' and kafka_offset = {offset}"
        _, [[value]] = self.ask(
            f"select cast(value as string) from bronze.{format_id} where {place}"
        )
        _, [event] = self.ask(
            "select operation, concat_ws('.', database_name, schema_name, table_name),"
            " to_json(key_columns), to_json(before, map('ignoreNullFields', 'false')),"
            " to_json(after, map('ignoreNullFields', 'false'))"
            f" from silver.change_events where {place}"
        )
        names, [row] = self.ask(
            "select * except (_undecodable, _committed_at, _feed, _kafka_topic, _kafka_partition,"
            f" _kafka_offset) from current.{table} where _{place.replace('and ', 'and _')}"
        )
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row("the value", shortened(str(value)))
        labels = ("its event", "of", "key", "before", "after")
        for label, text in zip(labels, event, strict=True):
            grid.add_row(label, text)
        grid.add_row("its row", "  ".join(f"{n} = {v}" for n, v in zip(names, row, strict=True)))
        self.heading(f"{format_id}: message {offset} of demo.{format_id}, now in current.{table}")
        self.console.print(grid)

    def table(self, statement: str) -> None:
        """Print rows with as many columns as fit, and what is long cut."""
        names, found = self.ask(statement)
        found = [[text and visible(text.replace("\n", "⏎")) for text in row] for row in found]
        left, table = self.console.width, Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        taken = []
        for i, name in enumerate(names):
            texts = [name, *(row[i] or "null" for row in found)]
            width = min(max(map(cell_len, texts)), CELL, left)
            if width < min(cell_len(name), CELL):
                break
            left -= width + GAP
            taken.append(i)
            table.add_column(name, no_wrap=True, overflow="ellipsis", width=width)
        for row in found:
            table.add_row(*(_cell(row[i]) for i in taken))
        self.console.print(table)
        if rest := names[len(taken) :]:
            self.console.print(
                f"and {', '.join(rest)}", style="dim", no_wrap=True, overflow="ellipsis"
            )


def _cell(text: str | None) -> str | Text:
    return Text("null", style="dim") if text is None else text


def shortened(value: str) -> str:
    """Return a message without Debezium's schema part, and not longer than a few lines."""
    if (start := value.find('"payload"')) > 0:
        value = '{"schema": …, ' + value[start:]
    return value if len(value) <= LONGEST else value[:LONGEST] + "…"


def show(console: Terminal) -> None:
    """Print two changes, a table of each dialect, the rejects, and what to do next."""
    shown = Shown(console, EmbeddedLake("sample"))
    for change in FOLLOWED:
        shown.change(*change)
    metadata = "_undecodable, _committed_at, _feed, _kafka_topic, _kafka_partition, _kafka_offset"
    for format_id, table in TABLES.items():
        shown.heading(f"current.{table} ({format_id})")
        shown.table(f"select * except ({metadata}) from current.{table} order by 1")
    shown.heading(f"history.{HISTORY} (debezium)")
    shown.table(
        "select id, customer, amount, _operation, _valid_from, _valid_to, _is_current"
        f" from history.{HISTORY} order by 1, _valid_from, _kafka_offset"
    )
    shown.heading("every message is accounted for (silver.message_counts)")
    outcomes = ("events", "tombstone", "control", "waiting", "rejected")
    counts = ", ".join(f"sum(if(outcome = '{one}', messages, 0)) as {one}" for one in outcomes)
    shown.table(
        f"select format, sum(messages) as messages, {counts} from silver.message_counts"
        " group by all order by all"
    )
    shown.heading("the rejected ones, with the reason (silver.rejected_messages)")
    shown.table(
        "select format, reject_reason, reject_detail, cast(value as string) as value"
        " from silver.rejected_messages order by all"
    )
    home = os.path.relpath(settings.home())
    shown.heading("next")
    for text, command in (
        ("ask this lake", f"CHANGELAKE_HOME={home} .venv/bin/python scripts/sql.py --target sample"
         ' "select * from silver.change_events"'),
        ("build all samples, and test them", ".venv/bin/dbt build"),
        ("read your own Kafka: name your feeds in seeds/feeds.csv, then",
         ".venv/bin/python scripts/run.py --bootstrap-servers HOST:PORT"),
    ):  # fmt: skip
        console.print(f"{text}:\n  {command}", soft_wrap=True)


if __name__ == "__main__":
    app()
