"""What can be wrong with a landing before it begins."""

from collections.abc import Collection, Iterable, Set
from typing import Any

from changelake.core.errors import RESTORE, UserError
from changelake.core.feeds import Feed
from changelake.core.words import counted, listed, nearest
from changelake.kafka.client import Partition, Topic
from changelake.landing.checkpoints import Progress

# More would hide what to do.
SHOWN_PARTITIONS = 20
SHOWN_TOPICS = 5
# what a marker has for a topic without an identity; earlier versions wrote zero
NO_ID = ("", "A" * 22)

# The first offset of each partition at the broker, and the one after the last.
Partitions = dict[Partition, tuple[int, int]]


def has_new_messages(progress: Progress, offsets: Partitions) -> bool:
    """Say whether there is something to land."""
    if progress.in_flight:
        return True
    return any(
        latest > progress.next_offsets.get(partition, earliest)
        for partition, (earliest, latest) in offsets.items()
    )


def check_marker(
    feed: Feed,
    marker: dict[str, Any],
    topics: dict[str, Topic],
    bronze_id: str,
    progress: Progress,
) -> None:
    """Check that a checkpoint belongs to this feed as it is defined now.

    Args:
        feed: the feed.
        marker: what the checkpoint was written for.
        topics: the feed's topics at the broker.
        bronze_id: the identity of the bronze table.
        progress: how far the feed is landed.

    Raises:
        UserError: it belongs to another format, other topics or another bronze table.
    """
    name = f"feed {feed.feed}"
    if marker.get("format", feed.format) != feed.format:
        raise UserError(
            f"{name}: its checkpoint is for the format {marker['format']!r}, but the list of feeds "
            f"says {feed.format!r}: restore the format, or give the feed another name"
        )
    if marker.get("bronze", bronze_id) != bronze_id:
        raise UserError(
            f"{name}: its checkpoint belongs to another bronze table than bronze/{feed.format}: "
            "restore that table, or remove the checkpoint to land the feed again from its start,"
            " and then rebuild its events: dbt build --target local --full-refresh --select"
            f" {feed.format}_events+"
        )
    landed: dict[str, str] = marker.get("topics", {})
    for topic in topics.values():
        known = landed.get(topic.name) if topic.name in progress.begun else None
        if topic.topic_id and known not in (None, *NO_ID, topic.topic_id):
            raise UserError(
                f"{name}: the topic {topic.name!r} is not the one that was landed: this is another"
                " broker (check --bootstrap-servers), or the topic was deleted and created again,"
                f" so that its offsets would be in bronze twice: {_another_topic(feed)}"
            )


def check_batches(feed: Feed, progress: Progress, in_bronze: int | None) -> None:
    """Check that a checkpoint and bronze belong together, whatever a batch in flight came to.

    Args:
        feed: the feed.
        progress: how far it is landed, as the checkpoint says.
        in_bronze: the last batch of the checkpoint's query in bronze, None if it has none there.

    Raises:
        UserError: one of them is older: Delta would skip batches, or some are missing.
    """
    planned = -1 if progress.last_batch is None else progress.last_batch
    landed = -1 if in_bronze is None else in_bronze
    if landed > planned:
        raise UserError(f"feed {feed.feed}: its checkpoint is older than bronze: {RESTORE}")
    if landed < (planned - 1 if progress.in_flight else planned):
        raise UserError(f"feed {feed.feed}: bronze is older than its checkpoint: {RESTORE}")


def check_offsets(
    feed: Feed, progress: Progress, offsets: Partitions, topics: Iterable[str]
) -> None:
    """Check that the broker still has everything that is to be landed next.

    Args:
        feed: the feed.
        progress: how far it is landed.
        offsets: the first offset and the one behind the last of each partition at the broker.
        topics: the feed's topics at the broker.

    Raises:
        UserError: offsets have expired, or the checkpoint has topics that the feed does not have.
    """
    topics = set(topics)
    if lost := expired(progress, offsets):
        raise UserError(
            f"feed {feed.feed}: {lost_offsets(progress, lost)} expired at the broker before they "
            f"were landed: {_accept_loss(feed)} continues after them"
        )
    for (topic, partition), start in sorted(_next_offsets(progress, offsets).items()):
        if topic not in topics and feed.reads(topic):
            raise UserError(
                f"feed {feed.feed}: the topic {topic!r} has been landed, but is no longer at the"
                " broker (or may not be read): check --bootstrap-servers; if it was deleted,"
                f" {_accept_loss(feed)} continues without it"
            )
        if topic not in topics:
            raise UserError(
                f"feed {feed.feed}: its checkpoint also covers the topic {topic!r}, which the feed"
                " no longer has: put it back in the list of feeds, or"
                f" {_accept_loss(feed)} continues without it"
            )
        if (topic, partition) not in offsets:
            raise UserError(
                f"feed {feed.feed}: partition {partition} of the topic {topic!r} is gone: "
                "this is another broker (check --bootstrap-servers), or the topic was deleted and "
                f"created again: then {_another_topic(feed)}"
            )
        latest = offsets[topic, partition][1]
        if start > latest:
            there = f"offsets up to {latest - 1}" if latest else "an empty partition"
            raise UserError(
                f"feed {feed.feed}: topic {topic!r}, partition {partition} is landed up to offset "
                f"{start - 1}, and the broker has only {there}: "
                "this is another broker (check --bootstrap-servers), or the topic was deleted and "
                f"created again: then {_another_topic(feed)}"
            )


def expired(progress: Progress, offsets: Partitions) -> dict[Partition, int]:
    """Return where partitions begin at the broker that lost messages before they were landed."""
    return {
        partition: offsets[partition][0]
        for partition, start in _next_offsets(progress, offsets).items()
        if partition in offsets and start < offsets[partition][0]
    }


def lost_offsets(progress: Progress, lost: dict[Partition, int]) -> str:
    """Describe the lost offsets: each of a few partitions, and how many partitions more.

    Args:
        progress: how far the feed is landed.
        lost: where partitions begin at the broker, as `expired()` returns it.
    """
    shown = sorted(lost)[:SHOWN_PARTITIONS]
    places = [
        f"topic {topic!r}, partition {partition}: the offsets "
        f"{progress.next_offsets.get((topic, partition), 0)} to {lost[topic, partition] - 1}"
        for topic, partition in shown
    ]
    more = (
        f"; and those of {counted(len(lost) - len(shown), 'more partition')}"
        if len(lost) > len(shown)
        else ""
    )
    return "; ".join(places) + more


def missing_topics(feed: Feed, topics: Set[str], existing: Iterable[str]) -> str:
    """Return the line for topics that a feed names, and that do not exist.

    Args:
        feed: the feed.
        topics: those that have never been landed for it.
        existing: the broker's topics, for a suggestion.
    """
    one = min(topics)
    others = f", nor {_shown(topics - {one})}" if len(topics) > 1 else ""
    near = nearest(one, existing)
    meant = f": did you mean {near!r}?" if near and not others else ":"
    return (
        f"feed {feed.feed}: the topic {one!r} does not exist at the broker{others} (or may not be"
        f" read){meant} check --bootstrap-servers, correct the list of feeds, or create it"
    )


def remark(
    feed: Feed, topics: Collection[str], compacted: Set[str], left: Set[str] = frozenset()
) -> str | None:
    """Return what may be a mistake in a feed's topics but is not an error; None if all is well.

    Args:
        feed: the feed.
        topics: its topics at the broker.
        compacted: the topics of which the broker keeps only each key's last message.
        left: the topics that the feed was told to go on without.
    """
    if not topics and feed.topic_pattern:
        return (
            f"feed {feed.feed}: no topic at the broker matches its topic_pattern "
            f"'{feed.topic_pattern}', which has to match a topic's whole name"
        )
    if gone := (left & set(feed.topics)) - set(topics):
        return (
            f"feed {feed.feed}: given up, and no longer at the broker: {_shown(gone)}: remove from"
            " the list of feeds"
        )
    if own := set(topics) & compacted:
        return (
            f"feed {feed.feed}: compacted (cleanup.policy): {_shown(own)}: the broker removes a "
            "message once another of the same Kafka key follows: history misses its version, and "
            "current is right only where the Kafka key is the row's and each message has the whole "
            "row: set cleanup.policy=delete, then have a new snapshot sent"
        )
    return None


def check_same_broker(feed: Feed, progress: Progress, existing: Set[str]) -> None:
    """Check, before topics are given up, that the broker has any topic of a feed.

    Args:
        feed: the feed.
        progress: how far it is landed.
        existing: the topics of the broker, whosever they are.

    Raises:
        UserError: it has none.
    """
    if not progress.topics & existing:
        raise UserError(
            f"feed {feed.feed}: none of the topics of its checkpoint is at this broker: check "
            "--bootstrap-servers; where all were deleted, give the feed another name"
        )


def _shown(topics: Set[str]) -> str:
    return listed([repr(name) for name in sorted(topics)], SHOWN_TOPICS)


def _accept_loss(feed: Feed) -> str:
    return f"scripts/land.py --accept-loss --feed {feed.feed}"


def _another_topic(feed: Feed) -> str:
    # offsets that start over under the same name cannot be told from landed ones
    return (
        "have the producer write to a topic of another name, name that one in the list of feeds in"
        f" place of this one, and run {_accept_loss(feed)}"
    )


def _next_offsets(progress: Progress, offsets: Partitions) -> dict[Partition, int]:
    # a partition that was added to a topic has to be landed from its first message, and so has one
    # that only the batch in flight has
    added = {partition: 0 for partition in offsets if partition[0] in progress.topics}
    added |= dict.fromkeys(progress.planned, 0)
    return {**added, **progress.next_offsets}
