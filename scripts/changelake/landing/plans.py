"""What to land of each feed: checked against the broker, its checkpoint and bronze."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core import settings
from changelake.core.error_text import error_text
from changelake.core.errors import RESTORE, UserError, java_message, spark_has_ended
from changelake.core.feeds import Feed
from changelake.kafka.client import KafkaCluster, Topic
from changelake.kafka.topics import check_claims, claim_topics
from changelake.landing.bronze import BronzeTable
from changelake.landing.checkpoints import Checkpoint, Progress
from changelake.landing.checks import (
    Partitions,
    check_batches,
    check_marker,
    check_offsets,
    check_same_broker,
    expired,
    has_new_messages,
    lost_offsets,
    missing_topics,
    remark,
)
from changelake.landing.explain import explain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class FeedResult:
    """What was landed for a feed.

    `bytes` are those of keys and values; `seconds` those of the batches, without their query's
    start. `given_up` says what `accept_loss` went on without, `remark` what may be a mistake.
    """

    feed: str
    format: str
    messages: int = 0
    bytes: int = 0
    seconds: float = 0.0
    error: str | None = None
    given_up: str | None = None
    remark: str | None = None


@dataclass
class Plan:
    """A feed that is ready to be landed.

    `resumes`: its query begins with the batch that a kill has interrupted.
    """

    feed: Feed
    checkpoint: Checkpoint
    has_new_messages: bool
    resumes: bool


@dataclass
class _Found:
    """A feed, and what there is of it at the broker, in its checkpoint and in bronze.

    `marker` is the checkpoint's. `result` gets what is given up, where that is accepted.
    """

    feed: Feed
    topics: dict[str, Topic]
    checkpoint: Checkpoint
    progress: Progress
    marker: dict[str, Any]
    bronze: BronzeTable
    result: FeedResult


def plan_all(
    spark: "SparkSession",
    cluster: KafkaCluster,
    feeds: list[Feed],
    all_feeds: Iterable[Feed],
    root: str | None,
    accept_loss: bool,
    results: dict[str, FeedResult],
    on_new_messages: Callable[[], object] | None = None,
) -> list[Plan]:
    """Return the plans of the feeds that can be landed; the others get their error.

    Args:
        spark: the session.
        cluster: the broker.
        feeds: those to land.
        all_feeds: what else claims topics.
        root: the lake's, or None for CHANGELAKE_HOME.
        accept_loss: see job.land().
        results: by feed; gets errors, remarks and what was given up.
        on_new_messages: see job.land().
    """
    existing = cluster.topic_names()
    claimed = claim_topics(all_feeds, existing)
    wanted = {topic for feed in feeds for topic in claimed[feed.feed]}
    topics = cluster.topics(wanted) if wanted else {}
    # deleted since: only its feed fails
    existing -= wanted - topics.keys()
    compacted = cluster.compacted(topics) if topics else set[str]()
    plans: list[Plan] = []
    for feed in feeds:
        if results[feed.feed].error:
            continue
        try:
            check_claims(feed, claimed)
            own = {name: topics[name] for name in claimed[feed.feed] if name in topics}
            checkpoint = Checkpoint(spark, settings.checkpoint(feed.feed, root), feed.feed)
            bronze = BronzeTable(spark, feed.format, root)
            progress = checkpoint.progress(partial(_last_landed, bronze))
            marker = checkpoint.marker()
            left = set(marker.get("left", ()))
            results[feed.feed].remark = remark(feed, own, compacted, left)
            # a topic that was given up is not an error if the feed has others
            known = own.keys() | progress.topics | (left if own else set[str]())
            if unknown := set(feed.topics) - known:
                results[feed.feed].error = missing_topics(feed, unknown, existing)
                # The others' messages may expire, so they are landed. Not if this may be the wrong
                # broker, or if it may be the new name of a topic that would be given up.
                if not own or not progress.started or accept_loss:
                    continue
            bronze.keep_changes()
            found = _Found(feed, own, checkpoint, progress, marker, bronze, results[feed.feed])
            plans.append(_plan(cluster, found, accept_loss, on_new_messages))
        except Exception as error:
            line = feed_error(feed, error)
            results[feed.feed].error = results[feed.feed].error or line
    return plans


def _last_landed(bronze: BronzeTable, query: str) -> int | None:
    # also raises if the table's log is lost, which would show no batch
    bronze.keep_changes()
    return bronze.last_batch(query)


def feed_error(feed: Feed, error: Exception) -> str:
    """Return the line for an error of this feed alone; re-raise any other error."""
    if isinstance(error, UserError):
        return str(error)
    if spark_has_ended(error) or not isinstance(error, Py4JJavaError | PySparkException | OSError):
        raise error
    text = None if isinstance(error, PySparkException) else error_text(error)
    return f"feed {feed.feed}: {explain(text or java_message(error))}"


def _plan(
    cluster: KafkaCluster,
    found: _Found,
    accept_loss: bool,
    on_new_messages: Callable[[], object] | None,
) -> Plan:
    """Check a feed and bring its checkpoint up to date."""
    feed, topics, progress, bronze = found.feed, found.topics, found.progress, found.bronze
    offsets = cluster.offsets(
        (topic.name, number) for topic in topics.values() for number in topic.partitions
    )
    has_new = has_new_messages(progress, offsets)
    if has_new and on_new_messages:
        on_new_messages()
    # Only then: it costs a Spark job, which the query would otherwise cost.
    if has_new and (query := found.checkpoint.query()):
        check_batches(feed, progress, bronze.last_batch(query))
    bronze_id = bronze.identity()
    if progress.started:
        _check_landed(cluster, found, bronze_id, offsets, accept_loss)
        _enter_new_partitions(found.checkpoint, progress, offsets)
    else:
        _check_not_landed(bronze, feed, list(topics))
    known: dict[str, str] = dict(found.marker.get("topics", {}))
    known |= {name: one.topic_id or known.get(name, "") for name, one in topics.items()}
    now = {"feed": feed.feed, "format": feed.format, "topics": known, "bronze": bronze_id}
    found.checkpoint.write_marker({**found.marker, **now})
    has_new = has_new_messages(progress, offsets)
    if feed.topics:
        feed = replace(feed, topics=tuple(topic for topic in feed.topics if topic in topics))
    return Plan(feed, found.checkpoint, has_new, progress.in_flight)


def _check_landed(
    cluster: KafkaCluster, found: _Found, bronze_id: str, offsets: Partitions, accept_loss: bool
) -> None:
    """Check a feed that has been landed before, and give up what is lost where that is accepted."""
    feed, topics, progress, marker = found.feed, found.topics, found.progress, found.marker
    check_marker(feed, marker, topics, bronze_id, progress)
    gone = progress.topics - set(topics) if accept_loss else set[str]()
    if gone:
        check_same_broker(feed, progress, cluster.topic_names())
    left = progress.without(gone)
    lost = expired(left, offsets) if accept_loss else {}
    check_offsets(feed, left.moved(lost), offsets, topics)
    added = [name for name in topics if name not in marker.get("topics", {})]
    _check_new_topics(found.bronze, feed, added, left, marker.get("left", ()))
    # Only after all checks: what is given up does not come back.
    if gone or lost:
        given_up = [f"topic {name!r}" for name in sorted(gone)]
        given_up += [lost_offsets(left, lost)] if lost else []
        found.checkpoint.leave(progress, gone)
        found.checkpoint.move(progress, lost)
        found.result.given_up = "; ".join(given_up)
        found.marker = found.checkpoint.marker()


def _enter_new_partitions(checkpoint: Checkpoint, progress: Progress, offsets: Partitions) -> None:
    # Spark reports a new partition that does not begin at 0 as data loss. In a topic that the feed
    # never had, nothing is lost: the checkpoint gets it as if it had been there from the start.
    new = {
        (topic, number): earliest
        for (topic, number), (earliest, _) in offsets.items()
        if topic not in progress.topics and earliest > 0
    }
    if new:
        checkpoint.move(progress, new)


def _check_not_landed(bronze: BronzeTable, feed: Feed, topics: list[str]) -> None:
    # Without its checkpoint, a feed would be landed again from its start.
    for owner, topic in _landed(bronze, topics):
        done = f"feed {feed.feed}: the topic {topic!r} is in bronze already, landed for the feed"
        if owner != feed.feed:
            raise UserError(
                f"{done} {owner!r}: leave it with that feed, or give a renamed feed its name back"
            )
        raise UserError(f"{done} {owner!r}, and this feed has no checkpoint: {RESTORE}")


def _check_new_topics(
    bronze: BronzeTable, feed: Feed, topics: list[str], progress: Progress, left: Collection[str]
) -> None:
    # A topic that moves here from another feed, or that comes back after the feed went on without
    # it, would be landed again from its start. Bronze may not show it: maintain.py drops old days.
    known = [(feed.feed, one) for one in topics if one in left]
    for owner, topic in known + _landed(bronze, topics):
        if owner != feed.feed:
            raise UserError(
                f"feed {feed.feed}: the topic {topic!r} is in bronze already, landed for the "
                f"feed {owner!r}: leave it with that feed"
            )
        if topic not in progress.topics:
            raise UserError(
                f"feed {feed.feed}: the topic {topic!r} is in bronze already, from before the "
                "feed dropped it: remove it from the list of feeds"
            )


def _landed(bronze: BronzeTable, topics: list[str]) -> list[tuple[str, str]]:
    # saves a session's first query of a table, which takes two seconds
    if not topics or bronze.is_untouched():
        return []
    rows = bronze.rows()
    found = rows.where(rows.kafka_topic.isin(topics)).select("feed", "kafka_topic").distinct()
    return [(row.feed, row.kafka_topic) for row in found.collect()]
