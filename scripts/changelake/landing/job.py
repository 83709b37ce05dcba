"""Lands Kafka topics in bronze: a structured-streaming query per feed, exactly once."""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from changelake.core import settings, tuning
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.kafka.client import KafkaCluster, check_reachable
from changelake.landing.bronze import ensure_bronze
from changelake.landing.leases import Lease
from changelake.landing.locks import lock_all
from changelake.landing.plans import FeedResult, plan_all
from changelake.landing.queries import Queries, Report
from changelake.spark.confs import set_confs
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The size of a batch decides that of its files, and how much is repeated after a kill.
MAX_OFFSETS_PER_TRIGGER = 1_000_000
WRITER_CONFS = {
    # A batch has one landed_date (two at midnight): writing to both needs no sorting before.
    "spark.sql.maxConcurrentOutputFileWriters": "4",
    # Messages hardly repeat as a whole, so a dictionary of them is work for nothing …
    "parquet.enable.dictionary#value": "false",
    # … and a hundred of 20 MB would not fit into memory before the writer looks at its size.
    "parquet.page.size.row.check.min": "4",
    "parquet.block.size.row.check.min": "4",
    "parquet.block.size": str(64 * 1024 * 1024),
    # For a step that does next to nothing per row, generated code costs more to compile than it
    # saves.
    **tuning.NO_CODEGEN,
}


class LandingError(UserError):
    """Feeds that could not be landed, a line each; `results` has what was landed nevertheless.

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
    """Land feeds: all that there is, or continuously.

    A feed that cannot be landed does not stop the others.

    Args:
        spark: the session.
        feeds: the feeds to land.
        bootstrap_servers: HOST:PORT, separated by commas.
        all_feeds: those that exist, to find topics that two of them claim; by default `feeds`.
        root: the lake's place, by default CHANGELAKE_HOME.
        properties: settings of the Kafka client, without Spark's `kafka.` prefix.
        trigger: how often a batch begins, like `10 seconds`; None lands what there is and ends.
        max_offsets_per_trigger: the maximum number of messages per feed and batch.
        accept_loss: continue after offsets that expired before they were landed, and without topics
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
    results = {feed.feed: FeedResult(feed.feed, feed.format) for feed in feeds}
    with set_confs(spark, WRITER_CONFS), ExitStack() as locks:
        lease = _lease(spark, root, locks, stop)
        if stop.is_set():
            return list(results.values())
        ensure_bronze(spark, root)
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
            # A continuous landing would hide the error until it is stopped.
            raise LandingError(list(results.values()))
        options = {f"kafka.{key}": value for key, value in properties.items()}
        options |= {
            "kafka.bootstrap.servers": bootstrap_servers,
            "maxOffsetsPerTrigger": str(max_offsets_per_trigger),
        }
        queries = Queries(
            spark,
            all_feeds=all_feeds,
            options=options,
            root=root,
            trigger=trigger,
            results=results,
            stop=stop,
            report=report,
            lease=lease,
        )
        queries.run(plans)
        if not stop.is_set():
            queries.read_schemas()
    if any(result.error for result in results.values()):
        raise LandingError(list(results.values()))
    return list(results.values())


def _lease(
    spark: "SparkSession", root: str | None, locks: ExitStack, stop: threading.Event
) -> Lease | None:
    # Whether two writers can overwrite each other's commits depends on the store (S3's log store
    # does not coordinate drivers): one landing at a time is safe on all of them.
    files = HadoopFiles(spark, settings.location(root=root))
    return None if files.is_local else locks.enter_context(Lease(files, stop=stop))
