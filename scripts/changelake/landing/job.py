"""Lands Kafka topics in bronze: a structured-streaming query per feed, exactly once."""

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from changelake.core import settings, tuning
from changelake.core.errors import UserError, exception_text, innermost, java_message
from changelake.core.feeds import Feed
from changelake.core.logs import log_hint
from changelake.kafka.client import KafkaCluster, check_reachable
from changelake.kafka.topics import subscription
from changelake.landing.bronze import ensure_bronze
from changelake.landing.explain import explain
from changelake.landing.leases import Lease
from changelake.landing.locks import lock_all
from changelake.landing.odd_times import is_odd_time, land_batch
from changelake.landing.plans import FeedResult, Plan, feed_error, plan_all
from changelake.landing.registry import REGISTRY_FORMATS, read_schemas
from changelake.landing.rows import bronze_rows, counters
from changelake.spark.confs import set_confs
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Few at a time: a query's start waits more than it computes, its middle does not.
QUERIES_AT_A_TIME = 3
POLL_SECONDS = 0.25
# A batch's size decides that of the files, and what a kill has to do again.
MAX_OFFSETS_PER_TRIGGER = 1_000_000
# A long partition is read by several tasks, a short one is not cut into small files.
MAX_RECORDS_PER_TASK = 100_000

# Larger than Kafka's own: a message may have 20 MB, and most have one KB. A person may set others.
FETCH = {
    "kafka.max.partition.fetch.bytes": str(16 * 1024 * 1024),
    "kafka.fetch.max.bytes": str(64 * 1024 * 1024),
    "kafka.max.poll.records": "10000",
    "kafka.receive.buffer.bytes": str(1024 * 1024),
}
# These nobody may: they are what exactly-once stands on (with RESERVED of kafka/client.py).
GUARANTEE = {
    "kafka.isolation.level": "read_committed",
    "kafka.check.crcs": "true",
    "kafka.allow.auto.create.topics": "false",
    "startingOffsets": "earliest",
    "failOnDataLoss": "true",
}
WRITER_CONFS = {
    # A batch has one landed_date (two at midnight): writing to both needs no sorting before.
    "spark.sql.maxConcurrentOutputFileWriters": "4",
    # Messages hardly repeat as a whole, so a dictionary of them is work for nothing …
    "parquet.enable.dictionary#value": "false",
    # … and a hundred of 20 MB would not fit into memory before the writer looks at its size.
    "parquet.page.size.row.check.min": "4",
    "parquet.block.size.row.check.min": "4",
    "parquet.block.size": str(64 * 1024 * 1024),
    # Of a step that does next to nothing with a row, generated code gains nothing that its
    # compilation does not cost.
    **tuning.NO_CODEGEN,
}
COMPRESSION = "zstd"


class LandingError(UserError):
    """Feeds that could not be landed, a line each; `results` has what was landed all the same.

    Feeds with one reason share a line.
    """

    def __init__(self, results: list[FeedResult]) -> None:
        feeds: dict[str, list[str]] = {}
        for result in results:
            if result.error:
                reason = result.error.removeprefix(f"feed {result.feed}: ")
                feeds.setdefault(reason, []).append(result.feed)
        super().__init__(
            "\n".join(
                f"feed{'s' * (len(names) > 1)} {', '.join(names)}: {reason}"
                for reason, names in feeds.items()
            )
        )
        self.results = results


@dataclass
class _Running:
    """A query under way, and how much of its progress is counted."""

    plan: Plan
    query: Any
    result: FeedResult
    batch: int = -1
    seen: set[int] = field(default_factory=set[int])

    def count(self) -> None:
        """Add what its new batches have landed to the result."""
        last = self.query.lastProgress
        if not last or last["batchId"] == self.batch:
            return
        fresh = [last] if last["batchId"] == self.batch + 1 else self.query.recentProgress
        for progress in fresh:
            number = progress["batchId"]
            landed = progress["observedMetrics"].get("landed")
            if number in self.seen or landed is None:
                continue
            self.seen.add(number)
            self.result.messages += landed["messages"] or 0
            self.result.bytes += landed["bytes"] or 0
            self.result.seconds += progress["durationMs"].get("triggerExecution", 0) / 1000
        # not that of an idle trigger, which names the batch that comes next
        self.batch = max(self.seen, default=self.batch)


Report = Callable[[list[FeedResult]], None]


def land(
    spark: "SparkSession",
    feeds: Iterable[Feed],
    bootstrap_servers: str,
    *,
    all_feeds: Iterable[Feed] | None = None,
    root: str | None = None,
    properties: Mapping[str, str] | None = None,
    trigger: str | None = None,
    max_offsets_per_trigger: int = MAX_OFFSETS_PER_TRIGGER,
    accept_loss: bool = False,
    stop: threading.Event | None = None,
    report: Report | None = None,
    on_new_messages: Callable[[], object] | None = None,
) -> list[FeedResult]:
    """Land feeds: all that there is, or without end.

    A feed that cannot be landed keeps no other from it.

    Args:
        spark: the session.
        feeds: the feeds to land.
        bootstrap_servers: HOST:PORT, separated by commas.
        all_feeds: those that exist, to find topics that two of them claim; by default `feeds`.
        root: the lake's place, by default CHANGELAKE_HOME.
        properties: settings of the Kafka client, without Spark's `kafka.` prefix.
        trigger: how often a batch begins, like `10 seconds`; None lands what there is and ends.
        max_offsets_per_trigger: the most messages of a batch of a feed.
        accept_loss: go on behind offsets that expired before they were landed, and without topics
            that are gone.
        stop: set by the caller to end before all is landed.
        report: called a few times a second with how far each feed is.
        on_new_messages: called once for each feed that has something to land, before it is
            checked and landed.

    Returns:
        What was landed by this call, by feed.

    Raises:
        LandingError: some feeds could not be landed; it has the results of all.
        UserError: nothing could be landed.
    """
    feeds, stop = list(feeds), stop or threading.Event()
    all_feeds = list(all_feeds or feeds)
    check_reachable(bootstrap_servers)
    properties = dict(properties or {})
    with set_confs(spark, WRITER_CONFS), ExitStack() as locks:
        lease = _lease(spark, root, locks, stop)
        if stop.is_set():
            return [FeedResult(feed.feed, feed.format) for feed in feeds]
        ensure_bronze(spark, root)
        results = {feed.feed: FeedResult(feed.feed, feed.format) for feed in feeds}
        with KafkaCluster(spark, bootstrap_servers, properties) as cluster:
            if lease is None:
                lock_all(feeds, root, results, locks, stop)
            if stop.is_set():
                return list(results.values())
            plans = plan_all(
                spark, cluster, feeds, all_feeds, root, accept_loss, results, on_new_messages
            )
        if trigger is None:
            plans = [plan for plan in plans if plan.has_new_messages]
        elif any(result.error for result in results.values()):
            # What runs without end would hide the error for as long.
            raise LandingError(list(results.values()))
        options = {f"kafka.{key}": value for key, value in properties.items()}
        options |= {
            "kafka.bootstrap.servers": bootstrap_servers,
            "maxOffsetsPerTrigger": str(max_offsets_per_trigger),
        }
        runner = _Runner(spark, all_feeds, options, root, trigger, results, stop, report, lease)
        runner.run(plans)
        if not stop.is_set():
            runner.read_schemas()
    if any(result.error for result in results.values()):
        raise LandingError(list(results.values()))
    return list(results.values())


def _lease(
    spark: "SparkSession", root: str | None, locks: ExitStack, stop: threading.Event
) -> Lease | None:
    # Whether two writers of one Delta table can replace each other's commits there is the store's
    # affair (S3's log store keeps no two drivers apart): one landing at a time is right in all.
    files = HadoopFiles(spark, settings.location(root=root))
    return None if files.is_local else locks.enter_context(Lease(files, stop=stop))


class _Runner:
    """Runs the queries, a few at a time, and counts what they land."""

    def __init__(
        self,
        spark: "SparkSession",
        all_feeds: list[Feed],
        options: dict[str, str],
        root: str | None,
        trigger: str | None,
        results: dict[str, FeedResult],
        stop: threading.Event,
        report: Report | None,
        lease: Lease | None,
    ) -> None:
        self.spark, self.all_feeds, self.options = spark, all_feeds, options
        self.root, self.trigger = root, trigger
        self.results, self.stop, self.report = results, stop, report
        self.lease = lease
        self.tasks = spark.sparkContext.defaultParallelism
        self.waiting: list[Plan] = []
        self.registry_feeds = [feed for feed in all_feeds if feed.format in REGISTRY_FORMATS]
        self.registry_messages = 0

    def run(self, plans: list[Plan]) -> None:
        self.waiting = waiting = list(plans)
        running: list[_Running] = []
        at_a_time = QUERIES_AT_A_TIME if self.trigger is None else len(waiting)
        try:
            while (waiting or running) and self._goes_on():
                while waiting and len(running) < at_a_time:
                    plan = waiting.pop(0)
                    try:
                        running.append(self._start(plan))
                    except Exception as error:
                        if self.stop.is_set():
                            raise
                        self.results[plan.feed.feed].error = feed_error(plan.feed, error)
                self.stop.wait(POLL_SECONDS)
                running = [one for one in running if self._look_at(one)]
                self._read_new_schemas()
                if self.report:
                    self.report(list(self.results.values()))
                failed = any(result.error for result in self.results.values())
                if failed and self.trigger is not None:
                    break
        except Exception:
            # Spark's process may get the same signal as this one, and be faster.
            if not self.stop.is_set():
                raise
        finally:
            for one in running:
                self._end(one)

    def _start(self, plan: Plan) -> _Running:
        feed = plan.feed
        messages = (
            self.spark.readStream.format("kafka")
            .options(**FETCH)
            .options(**self.options)
            .options(**subscription(feed, self.all_feeds))
            .options(**GUARANTEE)
            .option("includeHeaders", "true")
            .option("maxRecordsPerPartition", str(MAX_RECORDS_PER_TASK))
            .load()
        )
        rows = (
            bronze_rows(messages, feed.feed, "unix_millis(timestamp)")
            .observe("landed", *counters())
            # As many files per batch as there are cores, not as there are partitions.
            .coalesce(self.tasks)
        )
        writer = (
            rows.writeStream.format("delta")
            .queryName(f"land {feed.feed}")
            .outputMode("append")
            .option("checkpointLocation", plan.checkpoint.path)
            .option("compression", COMPRESSION)
            .option("path", settings.bronze(feed.format, self.root))
        )
        writer = (
            writer.trigger(processingTime=self.trigger)
            if self.trigger
            else writer.trigger(availableNow=True)
        )
        return _Running(plan, writer.start(), self.results[feed.feed])

    def _look_at(self, one: _Running) -> bool:
        """Count what is new; say whether the query goes on."""
        active = one.query.isActive
        one.count()
        if active:
            return True
        if error := one.query.exception():
            feed = one.plan.feed
            try:
                if self._has_resumed(one.plan):
                    self.waiting.append(one.plan)
                    return False
                cause = exception_text(innermost(one.query._jsq.exception().get()))
                if is_odd_time(cause):
                    return self._land_around_spark(one)
                one.result.error = f"feed {feed.feed}: {explain(str(error), cause)}: {log_hint()}"
            except Exception as failed:
                if not self.stop.is_set():
                    one.result.error = feed_error(feed, failed)
        return False

    def _land_around_spark(self, one: _Running) -> bool:
        """Land the batch that Spark's source could not read, and let the query go on behind it."""
        plan, began = one.plan, time.monotonic()
        prefix = "kafka."
        messages, size = land_batch(
            self.spark,
            plan.feed,
            plan.checkpoint,
            settings.bronze(plan.feed.format, self.root),
            {
                key.removeprefix(prefix): value
                for key, value in {**FETCH, **self.options, **GUARANTEE}.items()
                if key.startswith(prefix)
            },
            self._goes_on,
            compression=COMPRESSION,
        )
        one.result.messages += messages
        one.result.bytes += size
        one.result.seconds += time.monotonic() - began
        if not self._goes_on():
            return False
        # it finds the batch in bronze, as behind a kill
        plan.resumes = True
        again = self._start(plan)
        one.query, one.batch, one.seen = again.query, -1, set()
        return True

    def read_schemas(self) -> None:
        """Read the schemas that the messages name; what goes wrong is a remark of their feeds."""
        own = self._registry_results()
        if own and (remark := read_schemas(self.spark, self.registry_feeds, self.root)):
            for result in own:
                result.remark = remark

    def _read_new_schemas(self) -> None:
        # a landing that ends reads them once, at its end
        landed = sum(result.messages for result in self._registry_results())
        if self.trigger is not None and landed > self.registry_messages:
            self.registry_messages = landed
            self.read_schemas()

    def _registry_results(self) -> list[FeedResult]:
        return [self.results[one.feed] for one in self.registry_feeds if one.feed in self.results]

    def _goes_on(self) -> bool:
        if self.lease:
            self.lease.check()
        return not self.stop.is_set()

    def _has_resumed(self, plan: Plan) -> bool:
        # Spark 4.1 ends a query when the interrupted batch is through and noted as done: it asks
        # the source for a figure that is not there yet (SPARK-57438). Started again, it goes on.
        resumed = plan.resumes and not plan.checkpoint.progress().in_flight
        plan.resumes = False
        return resumed

    def _end(self, one: _Running) -> None:
        try:
            one.query.stop()
            one.count()
        except Exception as error:
            if not self.stop.is_set():
                one.result.error = f"feed {one.plan.feed.feed}: {java_message(error)}"
