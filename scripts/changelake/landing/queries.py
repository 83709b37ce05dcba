"""Runs the streaming queries of a landing, one per feed, and counts what they land."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from changelake.core import settings
from changelake.core.errors import exception_text, innermost, java_message
from changelake.core.feeds import Feed
from changelake.core.logs import log_hint
from changelake.core.quoting import sql_string
from changelake.kafka.topics import subscription
from changelake.landing.bronze import BronzeTable
from changelake.landing.explain import explain
from changelake.landing.leases import Lease
from changelake.landing.odd_times import is_odd_time, land_batch
from changelake.landing.plans import FeedResult, Plan, feed_error
from changelake.landing.registry import REGISTRY_FORMATS, read_schemas
from changelake.landing.rows import bronze_rows, counters

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A query waits more than it computes while it starts, but not later: so a few at a time.
QUERIES_AT_A_TIME = 3
POLL_SECONDS = 0.25
# A long partition is read by several tasks; a short one does not become several small files.
MAX_RECORDS_PER_TASK = 100_000

# Larger than Kafka's defaults: most messages are 1 KB, but one may be 20 MB. A person may override
# these.
FETCH = {
    "kafka.max.partition.fetch.bytes": str(16 * 1024 * 1024),
    "kafka.fetch.max.bytes": str(64 * 1024 * 1024),
    "kafka.max.poll.records": "10000",
    "kafka.receive.buffer.bytes": str(1024 * 1024),
}
# Nobody may override these: exactly-once depends on them (with RESERVED of kafka/client.py).
GUARANTEE = {
    "kafka.isolation.level": "read_committed",
    "kafka.check.crcs": "true",
    "kafka.allow.auto.create.topics": "false",
    "startingOffsets": "earliest",
    "failOnDataLoss": "true",
}
COMPRESSION = "zstd"

Report = Callable[[list[FeedResult]], None]


@dataclass
class Running:
    """A query under way, and how much of its progress is counted."""

    plan: Plan
    query: Any
    result: FeedResult
    batch: int = -1
    seen: set[int] = field(default_factory=set[int])
    began: float = field(default_factory=time.monotonic)

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
        # not that of an idle trigger, which reports the next batch
        self.batch = max(self.seen, default=self.batch)


@dataclass
class Queries:
    """Runs the queries, a few at a time, and counts what they land.

    Attributes:
        spark: the session.
        all_feeds: those that exist, not only the ones that are landed.
        options: of Spark's Kafka source, for the broker and the size of a batch.
        root: the lake's place, or None for CHANGELAKE_HOME.
        trigger: how often a batch begins, None where what there is is landed once.
        results: by feed; gets what was landed, and errors.
        stop: ends the queries when it is set.
        report: called a few times a second with how far each feed is.
        lease: that of a lake in a store, which has to stay this process's.
    """

    spark: "SparkSession"
    all_feeds: list[Feed]
    options: dict[str, str]
    root: str | None
    trigger: str | None
    results: dict[str, FeedResult]
    stop: threading.Event
    report: Report | None
    lease: Lease | None

    def __post_init__(self) -> None:
        self.tasks = self.spark.sparkContext.defaultParallelism
        self.waiting: list[Plan] = []
        self.registry_feeds = [one for one in self.all_feeds if one.format in REGISTRY_FORMATS]
        self.registry_messages = 0

    def run(self, plans: list[Plan]) -> None:
        """Land what is planned: until all is there, `stop` is set, or without end.

        Args:
            plans: the feeds to land.
        """
        self.waiting = waiting = list(plans)
        running: list[Running] = []
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
                running = [one for one in running if self._still_runs(one)]
                self._read_new_schemas()
                if self.report:
                    self.report(list(self.results.values()))
                failed = any(result.error for result in self.results.values())
                if failed and self.trigger is not None:
                    break
        except Exception:
            # Spark's process may get the same signal, and end first.
            if not self.stop.is_set():
                raise
        finally:
            for one in running:
                self._end(one)

    def _start(self, plan: Plan) -> Running:
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
        return Running(plan, writer.start(), self.results[feed.feed])

    def _still_runs(self, one: Running) -> bool:
        """Count what is new; say whether the query still runs.

        A query that has failed at something which a restart gets past is restarted.
        """
        active = one.query.isActive
        one.count()
        if active:
            return True
        if error := one.query.exception():
            feed = one.plan.feed
            try:
                if self._has_resumed(one.plan):
                    self._count_resumed(one)
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

    def _land_around_spark(self, one: Running) -> bool:
        """Land the batch that Spark's source could not read, and restart the query after it."""
        plan, began = one.plan, time.monotonic()
        prefix = "kafka."
        land_batch(
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
        one.result.seconds += time.monotonic() - began
        if not self._goes_on():
            return False
        # it finds the batch in bronze, as after a kill
        plan.resumes = True
        again = self._start(plan)
        one.query, one.batch, one.seen, one.began = again.query, -1, set(), again.began
        return True

    def _count_resumed(self, one: Running) -> None:
        """Add the batch with which its query resumed to the result.

        No query reports what that has landed, here or in a process that was killed.
        """
        feed, landed_at = one.plan.feed, one.plan.checkpoint.landed_at()
        rows = BronzeTable(self.spark, feed.format, self.root).rows()
        (counted,) = (
            rows.where(
                f"feed = {sql_string(feed.feed)} and landed_at = timestamp_millis({landed_at})"
            )
            .agg(*counters())
            .collect()
        )
        one.result.messages += counted["messages"]
        one.result.bytes += counted["bytes"] or 0
        one.result.seconds += time.monotonic() - one.began

    def read_schemas(self) -> None:
        """Read the schemas that the messages name; errors become remarks of their feeds."""
        own = self._registry_results()
        if own and (remark := read_schemas(self.spark, self.registry_feeds, self.root)):
            for result in own:
                result.remark = remark

    def _read_new_schemas(self) -> None:
        # a landing that is not continuous reads them once, at its end
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
        # Spark 4.1 fails a query once the interrupted batch is committed: it asks the source for a
        # metric that does not exist yet (SPARK-57438). A restarted query continues.
        resumed = plan.resumes and not plan.checkpoint.progress().in_flight
        plan.resumes = False
        return resumed

    def _end(self, one: Running) -> None:
        try:
            one.query.stop()
            one.count()
        except Exception as error:
            if not self.stop.is_set():
                one.result.error = f"feed {one.plan.feed.feed}: {java_message(error)}"
