"""How far a feed is landed, by Spark's checkpoint, and what it was landed from."""

import json
from collections.abc import Callable, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from changelake.core.errors import RESTORE, UserError
from changelake.kafka.client import Partition
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MARKER = "changelake.json"
# What a file raises that holds no offsets, such as one that was left empty or cut short.
NO_OFFSETS = (ValueError, AttributeError, IndexError, TypeError)


@dataclass
class Progress:
    """What a checkpoint says.

    Attributes:
        started: a query has run on it.
        next_offsets: the first offset of each partition that is not known to be landed.
        last_batch: the number of the last batch that was planned.
        in_flight: that batch was planned and perhaps not finished.
        planned: where that batch ends, if it is in flight.
        base: the file that `next_offsets` stands in.
    """

    started: bool = False
    next_offsets: dict[Partition, int] = field(default_factory=dict[Partition, int])
    last_batch: int | None = None
    in_flight: bool = False
    planned: dict[Partition, int] = field(default_factory=dict[Partition, int])
    base: tuple[str, ...] = ()

    @property
    def topics(self) -> set[str]:
        """Return the topics of its partitions, those of a batch in flight included."""
        return {topic for topic, _ in (*self.next_offsets, *self.planned)}

    @property
    def begun(self) -> set[str]:
        """Return the topics of which messages are in bronze, or may be by a batch in flight."""
        return {topic for (topic, _), end in (self.next_offsets | self.planned).items() if end}

    def without(self, topics: Set[str]) -> "Progress":
        """Return what it would say if the feed had never had some topics."""

        def kept(offsets: dict[Partition, int]) -> dict[Partition, int]:
            return {place: end for place, end in offsets.items() if place[0] not in topics}

        return replace(self, next_offsets=kept(self.next_offsets), planned=kept(self.planned))

    def moved(self, offsets: dict[Partition, int]) -> "Progress":
        """Return what it would say if partitions started from other offsets."""
        ends = self.planned
        if self.in_flight:
            ends = ends | {one: max(at, ends.get(one, at)) for one, at in offsets.items()}
        return replace(self, next_offsets=self.next_offsets | offsets, planned=ends)


def parse_offsets(text: str) -> dict[Partition, int]:
    """Return the offsets in the last line of a file of Spark's offset log."""
    lines = [line for line in text.splitlines() if line.strip("\0 ")]
    return {
        (topic, int(partition)): int(offset)
        for topic, partitions in json.loads(lines[-1]).items()
        for partition, offset in partitions.items()
    }


def replace_offsets(text: str, offsets: dict[Partition, int]) -> str:
    """Return a file of Spark's offset log with other offsets in its last line."""
    tree: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(offsets.items()):
        tree.setdefault(topic, {})[str(partition)] = offset
    head = text.rstrip("\n").rpartition("\n")[0]
    return head + "\n" + json.dumps(tree, separators=(",", ":"))


class Checkpoint:
    """The checkpoint of a feed, on whatever file system the lake lies.

    Args:
        spark: the session.
        path: the checkpoint's directory or URL.
        feed: the feed's name, for messages.
    """

    def __init__(self, spark: "SparkSession", path: str, feed: str) -> None:
        self.path, self.feed = path, feed
        self._files = HadoopFiles(spark, path)

    def progress(self, last_landed: Callable[[str], int | None] | None = None) -> Progress:
        """Return how far the feed is landed.

        Spark writes a batch's file before it begins the batch, and does not sync it: a power
        failure can leave it empty. If the batch is not in bronze, it is planned again.

        Args:
            last_landed: returns a query's last batch in bronze, None if it has none there; by
                default that is unknown.

        Raises:
            UserError: the checkpoint cannot be read.
        """
        try:
            return self._progress()
        except NO_OFFSETS:
            if last_landed and self._forget_cut_batch(last_landed):
                return self.progress()
            raise self._damaged() from None

    def _progress(self) -> Progress:
        planned, finished = self._batches("offsets"), self._finished()
        first = ("sources", "0", "0")
        if self.query() is None:
            # Spark would start a query with a new id, by which Delta knows no batch in flight.
            if any(self._has_offsets(batch) for batch in planned):
                raise self._damaged()
            # What has landed without it is refused as of a feed without a checkpoint.
            for name in ("metadata", "offsets", "sources"):
                self._files.delete(name)
            return Progress(base=first)
        if not planned:
            initial = self._files.read_text(*first)
            if initial == "":
                self._files.delete(*first)
                initial = None
            offsets = parse_offsets(initial) if initial else {}
            return Progress(started=initial is not None, next_offsets=offsets, base=first)
        last = planned[-1]
        in_flight = not finished or finished[-1] < last
        before = last - 1 if in_flight else last
        base = ("offsets", str(before)) if before in planned else first
        return Progress(
            started=True,
            next_offsets=self._offsets(*base),
            last_batch=last,
            in_flight=in_flight,
            planned=self._offsets("offsets", str(last)) if in_flight else {},
            base=base,
        )

    def _forget_cut_batch(self, last_landed: Callable[[str], int | None]) -> bool:
        last, query = max(self._batches("offsets"), default=None), self.query()
        if last is None or query is None or self._has_offsets(last) or last in self._finished():
            return False
        landed = last_landed(query)
        if landed is not None and landed >= last:
            return False
        self._files.delete("offsets", str(last))
        return True

    def _has_offsets(self, batch: int) -> bool:
        try:
            self._offsets("offsets", str(batch))
        except NO_OFFSETS:
            return False
        return True

    def _finished(self) -> list[int]:
        # A power failure can leave the last file empty or cut short, which Spark refuses. Without
        # that file the batch is in flight, and Delta skips it if it is in the table.
        finished = self._batches("commits")
        while finished:
            text = self._files.read_text("commits", str(finished[-1])) or ""
            if text.rstrip().endswith("}"):
                break
            self._files.delete("commits", str(finished.pop()))
        return finished

    def _offsets(self, *name: str) -> dict[Partition, int]:
        text = self._files.read_text(*name)
        return {} if text is None else parse_offsets(text)

    def landed_at(self) -> int:
        """Return when the last batch was planned, in milliseconds: its rows' `landed_at`."""
        text = self._files.read_text("offsets", str(max(self._batches("offsets")))) or ""
        # the version, the batch, the offsets
        return int(json.loads(text.splitlines()[1])["batchTimestampMs"])

    def query(self) -> str | None:
        """Return the identity of the query that runs on it, None if none has run.

        Raises:
            UserError: the checkpoint cannot be read.
        """
        text = self._files.read_text("metadata")
        try:
            return str(json.loads(text)["id"]) if text else None
        except (ValueError, KeyError, TypeError):
            raise self._damaged() from None

    def _damaged(self) -> UserError:
        return UserError(f"feed {self.feed}: its checkpoint {self.path} is damaged: {RESTORE}")

    def marker(self) -> dict[str, Any]:
        """Return what the feed was landed from, as `write_marker` has left it."""
        text = self._files.read_text(MARKER)
        try:
            return json.loads(text) if text else {}
        except ValueError:
            # It is written before anything is landed, and again in every run, except for `left`.
            return {}

    def write_marker(self, marker: dict[str, Any]) -> None:
        """Keep what the feed is landed from, for later runs to compare with."""
        if self.marker() != marker:
            self._files.write_text(json.dumps(marker, sort_keys=True), MARKER)

    def move(self, progress: Progress, offsets: dict[Partition, int]) -> None:
        """Let partitions start from other offsets, in the next batch or the one in flight.

        Also correct if the batch in flight is in the table already: Delta skips it then.

        Args:
            progress: as `progress()` returned it; it is updated.
            offsets: partitions that are to start elsewhere, or that are new.
        """
        if offsets:
            self._become(progress, progress.moved(offsets))

    def leave(self, progress: Progress, topics: set[str]) -> None:
        """Continue without topics, which the marker keeps as `left`: they must not be landed again.

        Args:
            progress: as `progress()` returned it; it is updated.
            topics: their names.
        """
        if not topics:
            return
        marker = self.marker()
        known = marker.get("topics", {})
        kept = {name: one for name, one in known.items() if name not in topics}
        marker["left"] = sorted({*marker.get("left", ()), *(topics & progress.begun)})
        self.write_marker(marker)
        self._become(progress, progress.without(topics))
        # last: while the checkpoint has a topic, a recreated one of its name must be refused
        self.write_marker({**marker, "topics": kept})

    def _become(self, progress: Progress, changed: Progress) -> None:
        if progress.in_flight:
            # Before the base: a kill between the two leaves a state from which this is repeated.
            self._replace(("offsets", str(progress.last_batch)), changed.planned)
        self._replace(progress.base, changed.next_offsets)
        progress.planned, progress.next_offsets = changed.planned, changed.next_offsets

    def _replace(self, name: tuple[str, ...], offsets: dict[Partition, int]) -> None:
        self._files.write_text(replace_offsets(self._files.read_text(*name) or "", offsets), *name)

    def _batches(self, log: str) -> list[int]:
        return sorted(int(name) for name in self._files.names(log) if name.isdigit())
