"""Measures landing, parsing, and building tables, in one Spark session on a lake of its own."""

import json
import os
import statistics
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from changelake.build.codegen import generated_code
from changelake.build.dbt import Build
from changelake.build.report import BuildResult
from changelake.build.runner import build_pending
from changelake.build.states import has_large_table
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import COLUMNS, FORMATS, Feed
from changelake.dev import bench_messages as messages
from changelake.dev.freshness import Freshness, Source, first_load, keep_up, measured
from changelake.dev.project import project_copy
from changelake.kafka.broker import Broker, free_port
from changelake.kafka.client import KafkaCluster
from changelake.landing.bronze import ensure_bronze
from changelake.landing.job import WRITER_CONFS, land
from changelake.onboarding.model_files import write_table
from changelake.onboarding.rendering import history_text
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.spark.confs import set_confs
from changelake.spark.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEYS = 100_000
LARGE_KEYS = (1_000_000, 5_000_000)
NEW_MESSAGES = 10_000
REPEATS = 3
MANY_TABLES, CHANGED_TABLES = 200, 5
PARTS = ("landing", "parsers", "tables", "incremental", "many")
# takes as long as one says, and so only when asked for
FRESHNESS, FRESH_TABLES = "freshness", 20
_SIZE = "sum(coalesce(octet_length(value), 0) + coalesce(octet_length(key), 0))"
SMALL, MANY = Feed("bench_small", "canal", ("small",)), Feed("bench_many", "canal", ("many",))
LARGE = {keys: Feed(f"bench_{keys}", "canal", (f"keys_{keys}",)) for keys in LARGE_KEYS}


def _source_table(feed: Feed, name: str) -> SourceTable:
    columns = [SourceColumn(c.name, c.mysql, c.name == "id") for c in messages.COLUMNS]
    return SourceTable(feed.feed, "canal", "mysql", "shop", None, name, columns, ["id"])


@dataclass
class Measure:
    """A throughput: how many messages of how many bytes in how many seconds."""

    what: str
    messages: int
    bytes: int
    seconds: float

    @property
    def messages_a_second(self) -> float:
        """Return messages a second."""
        return self.messages / self.seconds

    @property
    def megabytes_a_second(self) -> float:
        """Return MB a second, of a million bytes."""
        return self.bytes / self.seconds / 1e6


@dataclass
class Run:
    """An incremental run: seconds of each repeat, on a table of so many rows.

    Of an update the new messages hold all columns (`complete`), or what changed (`partial`).
    """

    images: str
    rows: int
    new_messages: int
    seconds: list[float]

    @property
    def median(self) -> float:
        """Return the median, in seconds."""
        return statistics.median(self.seconds)


@dataclass
class Many:
    """Builds of many tables in seconds: the first, then with changes of a few of them.

    `alone`: of these few alone; `nothing`: with nothing new.
    """

    tables: int
    changed_tables: int
    first: float = 0.0
    changed: list[float] = field(default_factory=list[float])
    alone: list[float] = field(default_factory=list[float])
    nothing: list[float] = field(default_factory=list[float])


@dataclass
class Results:
    """All that was measured; `start_seconds` is Spark's start, in no other number."""

    start_seconds: float = 0.0
    throughput: list[Measure] = field(default_factory=list[Measure])
    incremental: list[Run] = field(default_factory=list[Run])
    many: Many | None = None
    freshness: Freshness | None = None

    @property
    def growth(self) -> dict[str, float]:
        """Return by images how many times as long a run takes on the largest table."""
        by_images: dict[str, list[float]] = {}
        for run in self.incremental:
            by_images.setdefault(run.images, []).append(run.median)
        return {images: times[-1] / times[0] for images, times in by_images.items()}


Say = Callable[[str], None]


@contextmanager
def bench(directory: Path, say: Say) -> Generator["Bench"]:
    """Start Spark on an empty lake and a copy of the project, and end with both.

    Args:
        directory: an empty one, for the lake, the broker and the copy.
        say: called with what is being done.
    """
    before = os.environ.get(settings.HOME_VARIABLE)
    os.environ[settings.HOME_VARIABLE] = str(directory / "lake")
    try:
        with project_copy(directory / "project"):
            feeds = settings.REPO / "seeds" / "feeds.csv"
            known = (SMALL, *LARGE.values(), MANY)
            lines = [f"{one.feed},{one.topics[0]},,{one.format}," for one in known]
            feeds.write_text("\n".join([",".join(COLUMNS), *lines, ""]))
            begun = time.monotonic()
            say("starting Spark")
            spark = spark_session("changelake bench", "local", hive=True)
            yield Bench(spark, directory, say, Results(round(time.monotonic() - begun, 1)))
    finally:
        os.environ.pop(settings.HOME_VARIABLE)
        if before is not None:
            os.environ[settings.HOME_VARIABLE] = before


class Bench:
    """The measurements. Each adds to `results`.

    Args:
        spark: the session.
        directory: where files of the benchmark's own go.
        say: called with what is being done.
        results: to add to.
    """

    def __init__(self, spark: "SparkSession", directory: Path, say: Say, results: Results) -> None:
        self.spark, self.directory, self.say, self.results = spark, directory, say, results
        self.project = Build(spark, "local", lambda node: None)
        self.offsets = 10**9

    def prepare(self) -> None:
        """Make what every part needs: the bronze tables and the seeds."""
        self.say("seeds and empty tables")
        ensure_bronze(self.spark)
        self._dbt("seed", "--exclude", "path:seeds/samples")
        self.spark.sql("create schema if not exists bench")

    def landing(self, count: int) -> None:
        """Publish messages to a real broker, and land them."""
        port = free_port()
        broker = Broker(self.directory / "kafka", port)
        self.say("starting a broker")
        broker.start()
        try:
            servers = f"127.0.0.1:{port}"
            # The first query of a session loads Kafka's client and Delta's writer.
            warm = Feed("bench_warm", next(one for one in FORMATS if one != "canal"), ("warm",))
            self._publish(servers, "warm", 20_000)
            land(self.spark, [warm], servers)
            self.say(f"publishing {count:,} messages")
            self._publish(servers, SMALL.topics[0], count)
            self.say("landing them")
            (result,) = land(self.spark, [SMALL], servers)
        finally:
            broker.stop()
        self._note("landing", result.messages, result.bytes, result.seconds)

    def _publish(self, servers: str, topic: str, count: int) -> None:
        with KafkaCluster(self.spark, servers, {}) as cluster:
            cluster.create_topic(topic, 2)
        frame = messages.changes(count, min(KEYS, max(count // 4, 1)))
        rows = self.spark.sql(messages.bronze_rows("", topic, frame, messages.canal()))
        # One task per partition, in order.
        rows.selectExpr("kafka_partition as partition", "value", "kafka_offset").repartitionByRange(
            2, "partition"
        ).sortWithinPartitions("kafka_offset").drop("kafka_offset").write.format("kafka").options(
            **{"kafka.bootstrap.servers": servers, "topic": topic, "kafka.linger.ms": "20"}
        ).save()

    def fill(self, count: int) -> None:
        """Lay the messages of the table of 100,000 keys into bronze, where none has landed."""
        self.say(f"generating {count:,} messages")
        frame = messages.changes(count, min(KEYS, max(count // 4, 1)))
        self._into_bronze(SMALL, frame)

    def _into_bronze(self, feed: Feed, frame: str, value: str = "", first_offset: int = 0) -> None:
        rows = messages.bronze_rows(
            feed.feed, feed.topics[0], frame, value or messages.canal(), first_offset=first_offset
        )
        with set_confs(self.spark, WRITER_CONFS):
            self.spark.sql(rows).write.format("delta").mode("append").save(settings.bronze("canal"))

    def parsers(self, count: int, only: str = "") -> None:
        """Read messages of each format from a table like bronze's, parse them, drop the result."""
        formats = self.compile("{{ formats() | join(' ') }}").split()
        for case in messages.cases(formats):
            if only not in case.label:
                continue
            number = max(1, int(count * case.share))
            self.say(f"parsing {number:,} messages: {case.label}")
            path = str(
                self.directory / "messages" / case.label.replace(", ", "_").replace(" ", "_")
            )
            frame = messages.changes(number, min(KEYS, max(number // 4, 1)))
            if case.halved:
                frame, number = messages.halved(frame), number * 2
            rows = messages.bronze_rows("bench", "dbz.shop.orders", frame, case.value, case.key)
            with set_confs(self.spark, WRITER_CONFS):
                self.spark.sql(rows).coalesce(2).write.format("delta").option(
                    "compression", "zstd"
                ).save(path)
            size = self.spark.sql(f"select {_SIZE} from delta.`{path}`").collect()[0][0]
            seeds = ("operation_codes", *case.seeds)
            arguments = [repr(one) for one in ("messages", *(f"silver.{seed}" for seed in seeds))]
            if case.schemas:
                arguments.append(case.schemas)
            parsed = self.compile(f"{{{{ parse_{case.format}({', '.join(arguments)}) }}}}")
            query = f"with messages as (select * from delta.`{path}`) select * from ({parsed})"
            self._check(query, number, case.label)
            seconds: list[float] = []
            for _ in range(REPEATS):
                begun = time.monotonic()
                self.spark.sql(query).write.format("noop").mode("overwrite").save()
                seconds.append(time.monotonic() - begun)
            self._note(f"parser {case.label}", number, size, statistics.median(seconds))

    def _check(self, query: str, number: int, label: str) -> None:
        # It warms up besides: the same code is compiled again for the measured runs.
        rows = self.spark.sql(f"select outcome, count(*) from ({query}) group by all").collect()
        if {row[0]: row[1] for row in rows} != {"events": number}:
            raise UserError(f"the messages of {label} do not all give events: {rows}")

    def compile(self, sql: str) -> str:
        """Return what dbt makes of a text with macros."""
        from dbt.cli.main import dbtRunner

        outcome = dbtRunner(manifest=self.project.manifest()).invoke(
            ["--quiet", "--log-level", "none", "compile", "--target", "local", "--inline", sql]
        )
        if outcome.exception is not None:
            raise UserError(f"dbt: {' '.join(str(outcome.exception).split())}")
        result: Any = outcome.result
        return str(result.results[0].node.compiled_code)

    def tables(self) -> None:
        """Store the events of what is in bronze, and build from them the table of 100,000 keys.

        Its history comes after it, and is for this measurement alone.
        """
        self._declare(SMALL)
        (row,) = self.spark.sql(
            f"select count(*), {_SIZE} from delta.`{settings.bronze('canal')}`"
            f" where feed = '{SMALL.feed}'"
        ).collect()
        count, size = row[0], row[1]
        self.say(f"bronze to events: {count:,} messages")
        events = self._seconds(self._dbt("run", "--select", "canal_events"))
        self._note("bronze → events", count, size, events)
        self.say(f"events to current: {min(KEYS, count // 4):,} keys")
        current = self._seconds(self._dbt("run", "--select", SMALL.feed))
        self._note("events → current", count, size, current)
        self._note("bronze → events → current", count, size, events + current)
        self.say("events to history")
        model = settings.REPO / "models" / "history" / f"{SMALL.feed}__history.sql"
        model.parent.mkdir(parents=True, exist_ok=True)
        table = _source_table(SMALL, messages.TABLE)
        model.write_text(history_text(table).replace(table.relation, SMALL.feed))
        self._read_project()
        history = self._seconds(self._dbt("run", "--select", model.stem))
        self._note("events → history", count, size, history)
        self._note("bronze → events → both", count, size, events + current + history)
        model.unlink()
        self._read_project()

    def _declare(self, feed: Feed, names: Sequence[str] = (messages.TABLE,)) -> None:
        """Write the model of a feed's table, which is named as the feed, or of each of several."""
        folder = settings.REPO / "models" / "current"
        for name in names:
            table = _source_table(feed, name)
            write_table(table, folder)
            relation = table.relation
            if len(names) > 1:
                continue
            for path in folder.glob(f"{relation}.*"):
                text = path.read_text().replace(f"name: {relation}", f"name: {feed.feed}")
                path.with_name(f"{feed.feed}{path.suffix}").write_text(text)
                path.unlink()
        self._read_project()

    def _read_project(self) -> None:
        self.project = Build(self.spark, "local", lambda node: None)
        self.project.manifest()

    def incremental(self, large: Sequence[int] = LARGE_KEYS) -> None:
        """Build larger tables, and run on each with 10,000 new messages.

        Args:
            large: how many rows the tables beside that of tables() have.
        """
        for keys in large:
            self.say(f"a table of {keys:,} rows")
            self._declare(LARGE[keys])
            self._into_bronze(LARGE[keys], messages.changes(keys, keys))
            self._dbt("run", "--select", "canal_events", LARGE[keys].feed)
        feeds = [SMALL, *(LARGE[keys] for keys in large)]
        counts = [self.spark.table(f"current.{feed.feed}").count() for feed in feeds]
        # Fewer messages than the default make a smaller table.
        keys_of = (max(counts[0], 1), *large)
        round_ = 0
        for images in ("complete", "partial"):
            runs = [Run(images, rows, NEW_MESSAGES, []) for rows in counts]
            value = messages.canal(changed_only=images == "partial")
            # The first one of each warms up.
            for repeat in range(REPEATS + 1):
                for feed, keys, run in zip(feeds, keys_of, runs, strict=True):
                    self.say(f"{NEW_MESSAGES:,} {images} images onto {run.rows:,} rows, {repeat}")
                    self._land(feed, messages.later_changes(NEW_MESSAGES, keys, round_), value)
                    # as run.py goes with so few
                    with generated_code(self.spark, has_large_table(self.spark, {feed.feed})):
                        built = self._dbt("run", "--select", "canal_events", feed.feed)
                    if repeat:
                        run.seconds.append(round(self._seconds(built), 2))
                round_ += 1
            self.results.incremental += runs

    def _land(self, feed: Feed, frame: str, value: str) -> None:
        self._into_bronze(feed, frame, value, self.offsets)
        self.offsets += NEW_MESSAGES

    def many(self) -> None:
        """Build 200 tables, again with changes of five, these five alone, and with nothing new."""
        many = self.results.many = Many(MANY_TABLES, CHANGED_TABLES)
        names = [f"{messages.TABLE}_{number}" for number in range(MANY_TABLES)]
        self._declare(MANY, names)
        alone = [f"shop__{name}" for name in names[:CHANGED_TABLES]]

        def table_of(count: int) -> str:
            return messages.canal(f"concat('{messages.TABLE}_', pmod(key, {count}))")

        def build() -> float:
            begun = time.monotonic()
            console = Console(file=(self.directory / "many.log").open("a"))
            if (built := build_pending(self.spark, "local", [MANY], console)).failed:
                raise UserError(f"{built.failed[0].name}: {built.failed[0].message}")
            return round(time.monotonic() - begun, 2)

        def change(repeat: int) -> None:
            frame = messages.later_changes(NEW_MESSAGES, 100 * MANY_TABLES, repeat)
            self._land(MANY, frame, table_of(CHANGED_TABLES))

        self.say(f"{MANY_TABLES} tables, for the first time")
        rows = 100 * MANY_TABLES
        self._into_bronze(MANY, messages.changes(rows, rows), table_of(MANY_TABLES))
        many.first = build()
        for repeat in range(REPEATS + 1):
            self.say(f"{MANY_TABLES} tables, changes of {CHANGED_TABLES}, {repeat}")
            change(2 * repeat)
            changed = build()
            nothing = build()
            change(2 * repeat + 1)
            begun = time.monotonic()
            with generated_code(self.spark, False):
                self._dbt("build", "--select", "canal_events", *alone)
            seconds = round(time.monotonic() - begun, 2)
            build()
            # the first one warms up
            if repeat:
                many.changed.append(changed)
                many.nothing.append(nothing)
                many.alone.append(seconds)

    def freshness(self, minutes: float) -> None:
        """Keep 200 tables up to date while 20 of them change, others each minute."""
        names = [f"{messages.TABLE}_{number}" for number in range(MANY_TABLES)]
        self._declare(MANY, names)
        topic = MANY.topics[0]
        feeds = settings.REPO / "seeds" / "feeds.csv"
        feeds.write_text(f"{','.join(COLUMNS)}\n{MANY.feed},{topic},,{MANY.format},\n")
        self.say(f"generating the rows of {MANY_TABLES} tables")
        frame = messages.changes(100 * MANY_TABLES, 100 * MANY_TABLES)
        table = f"pmod(key, {MANY_TABLES})"
        value = messages.canal(f"concat('{messages.TABLE}_', {table})")
        rows = messages.bronze_rows(MANY.feed, topic, frame, value)
        values = self.spark.sql(rows).selectExpr("decode(value, 'UTF-8')").collect()
        by_table: dict[str, list[str]] = {name: [] for name in names}
        for row in values:
            text = str(row[0])
            by_table[json.loads(text)["table"]].append(text)
        log, port = self.directory / "freshness.log", free_port()
        broker = Broker(self.directory / "kafka-freshness", port)
        broker.start()
        try:
            servers = f"127.0.0.1:{port}"
            with KafkaCluster(self.spark, servers, {}) as cluster:
                cluster.create_topic(topic, 2)
            source = Source(servers, topic, list(by_table.values()), FRESH_TABLES, minutes)
            self.say(f"{MANY_TABLES} tables, for the first time")
            source.publish_all()
            first_load(servers, log)
            self.say(f"changes of {FRESH_TABLES} tables at a time, for {minutes:g} minutes")
            keep_up(source, servers, log)
        finally:
            broker.stop()
        self.results.freshness = measured(self.spark, source, MANY_TABLES, FRESH_TABLES)

    def _dbt(self, *arguments: str) -> BuildResult:
        result = self.project.invoke(*arguments)
        if result.failed:
            raise UserError(f"{result.failed[0].name}: {result.failed[0].message}")
        return result

    @staticmethod
    def _seconds(result: BuildResult) -> float:
        return sum(node.seconds for node in result.nodes)

    def _note(self, what: str, count: int, size: int, seconds: float) -> None:
        self.results.throughput.append(Measure(what, count, size, round(seconds, 2)))
        measure = self.results.throughput[-1]
        self.say(f"  {what}: {measure.messages_a_second:,.0f} messages a second")
