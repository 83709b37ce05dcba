"""Which of a broker's topics each feed reads."""

from collections.abc import Iterable, Mapping, Sequence

from changelake.core.errors import UserError
from changelake.core.feeds import Feed


def claim_topics(feeds: Iterable[Feed], topics: Iterable[str]) -> dict[str, list[str]]:
    """Give each of the broker's topics to the feed that reads it.

    Args:
        feeds: all feeds, not only the ones that are landed now.
        topics: the names of the topics that exist.

    Returns:
        The topics of each feed, sorted.
    """
    topics = sorted(topics)
    return {feed.feed: [topic for topic in topics if feed.reads(topic)] for feed in feeds}


def check_claims(feed: Feed, claimed: Mapping[str, Sequence[str]]) -> None:
    """Check that no other feed reads a topic of this one.

    Args:
        feed: the feed.
        claimed: the topics of each feed.

    Raises:
        UserError: another feed does.
    """
    for topic in claimed[feed.feed]:
        owners = [name for name, topics in claimed.items() if topic in topics]
        if len(owners) > 1:
            raise UserError(
                f"feed {feed.feed}: the topic {topic!r} belongs to two feeds, {owners[0]!r} and "
                f"{owners[1]!r}: narrow the topic_pattern of one of them in the list of feeds"
            )


def subscription(feed: Feed, feeds: Iterable[Feed]) -> dict[str, str]:
    """Return the options by which Spark's Kafka source reads the topics of a feed.

    A topic that is created later and that another feed's pattern matches too is left to the next
    start, which reports it.

    Args:
        feed: the feed.
        feeds: all feeds.
    """
    if not feed.topic_pattern:
        return {"subscribe": ",".join(feed.topics)}
    others = [f"(?:{one.topic_pattern})" for one in feeds if one.topic_pattern and one != feed]
    # Spark searches for it anywhere in the name. The own pattern comes first: its groups may be
    # referenced by number.
    without = f"(?!(?:{'|'.join(others)})$)" if others else ""
    return {"subscribePattern": f"^(?=(?:{feed.topic_pattern})$){without}.*$"}
