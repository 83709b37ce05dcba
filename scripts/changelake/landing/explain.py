"""Explains why a streaming query ended."""

import re

from changelake.core.errors import outer_lines

# More would hide what to do.
SHOWN_CHARACTERS = 400


def explain(text: str, cause: str = "") -> str:
    """Return what a streaming query's error means for a person.

    Args:
        text: the message.
        cause: the innermost exception's message, which often says more.
    """
    joined = " ".join(outer_lines(text).split())
    joined = re.sub(r"^\[STREAM_FAILED\].*?terminated with exception: ", "", joined)
    if cause and cause.rpartition(" (")[0] not in joined:
        joined = f"{_cut(joined)}: {_cut(cause)}"
    if re.search(r"out of memory|OutOfMemoryError|Java heap space", joined, re.IGNORECASE):
        return (
            "its messages do not fit into Spark's memory: "
            "land with scripts/land.py and a smaller --max-offsets-per-trigger, "
            "or set a larger CHANGELAKE_SPARK_MEMORY"
        )
    if re.search(r"Some data may have been|OffsetOutOfRange|KAFKA_DATA_LOSS", joined):
        return (
            "the broker lost offsets that were not landed yet: run again, which names them; "
            f"then scripts/land.py --accept-loss continues after them ({_cut(joined)})"
        )
    if "UnknownTopicOrPartition" in joined:
        return f"a topic is no longer at the broker: run again, which names it ({_cut(joined)})"
    if re.search(r"Record is corrupt|Record batch for partition \S+ at offset", joined):
        return (
            "the broker's copy of a message is damaged: restore it there from another replica, or"
            " delete the partition's messages before the first one behind its batch, with"
            " kafka-delete-records.sh: scripts/land.py --accept-loss then continues after them"
            f" ({_cut(joined)})"
        )
    if re.search(r"No space left on device|Disk quota exceeded", joined):
        return f"the disk is full: make room, and run again ({_cut(joined)})"
    if re.search(r"\bTimeoutException\b|DisconnectException|node assignment", joined):
        return f"the broker no longer answers: once it does, run again ({_cut(joined)})"
    return _cut(joined, 2 * SHOWN_CHARACTERS)


def _cut(text: str, length: int = SHOWN_CHARACTERS) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
