"""Compares a current table with its source, down to rows and cells.

Ranges of hashed keys whose count and checksum agree are not read. Checksums are of texts that are
equal only if the values are. If a database writes equal values in another way than Spark, such as
floats, the range is read.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.reconcile.current_table import CurrentTable
from changelake.reconcile.model import Model
from changelake.reconcile.progress import Progress
from changelake.reconcile.sources import Checksums, Source, normalised_rows
from changelake.reconcile.texts import COUNT, row_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BUCKETS = 4_096
# where more of them differ, all rows are read
MAX_READ = 1_024
POLL_SECONDS = 10.0
DIFFERS, UNDECIDED = "differs", "undecided"
MISSING, EXTRA, CELL = "missing", "extra", "cell"


@dataclass(frozen=True)
class Difference:
    """A row too few or too many here, or a cell that differs.

    Attributes:
        verdict: differs or undecided.
        kind: missing, extra or cell.
        key: the row's key by column; the whole row if the table has no key.
        column: the cell's column; None for a whole row.
        here, there: the cell's text in the current table and at the source.
    """

    verdict: str
    kind: str
    key: dict[str, str | None]
    column: str | None
    here: str | None
    there: str | None

    def as_json(self) -> str:
        """Return it as a JSON object."""
        return json.dumps(self.__dict__, ensure_ascii=False)


@dataclass
class Result:
    """The result of a comparison.

    Attributes:
        at: the moment at the source that it is valid for.
        rows_here, rows_there: the rows that were counted.
        differing, undecided: the keys whose rows differ, and those that cannot be decided yet.
        differences: all of them, read on demand.
    """

    at: datetime
    rows_here: int
    rows_there: int
    differing: int
    undecided: int
    differences: Callable[[], Iterator[Difference]]


class Comparison:
    """A comparison of a current table with its source.

    Args:
        spark: the session.
        model: the current table.
        source: what it is compared with.
        progress: how far the lake has come.
        wait_seconds: how long to wait for it.
        say: reports a step.
        at: the moment of the source's rows; None: now.
    """

    def __init__(
        self, spark: "SparkSession", model: Model, source: Source, progress: Progress,
        wait_seconds: float, say: Callable[[str], None], at: datetime | None = None,
    ) -> None:  # fmt: skip
        self._at = at
        self._spark, self._source, self._progress = spark, source, progress
        self._wait, self._say = wait_seconds, say
        self._columns = source.choice.columns
        self._key = [one for one in self._columns if one.name in model.key]
        self._current = CurrentTable(spark, model, self._columns, at)
        self._counts = (0, 0)

    def run(self) -> Result:
        """Compare.

        Raises:
            UserError: the source cannot be read, or the key is not unique there.
        """
        moment = self._now()
        chosen = self._differing_buckets()
        if chosen is not None and not chosen:
            return Result(moment, *self._counts, 0, 0, lambda: iter(()))
        first, moment = self._there(chosen), self._now()
        here = self._here(chosen)
        if chosen is None:
            self._counts = (self._count(here), self._count(first))
            self._say_counts()
        rows = (
            first.withColumnRenamed("cells", "there")
            .join(here.withColumnRenamed("cells", "here"), "k", "full")
            .where("not (there <=> here)")
            .selectExpr("k", "here", "there", f"'{DIFFERS}' as verdict")
            .localCheckpoint()
        )
        if (self._source.moves or self._at) and not rows.isEmpty():
            rows, moment = self._looked_at_again(rows.select("k"), chosen, first, moment)
        counts = {row[0]: row[1] for row in rows.groupBy("verdict").count().collect()}
        differing, undecided = counts.get(DIFFERS, 0), counts.get(UNDECIDED, 0)
        return Result(moment, *self._counts, differing, undecided, lambda: self._cells_of(rows))

    def _now(self) -> datetime:
        """Return the moment of the source's rows, if they are read now."""
        return self._at or self._source.now()

    def _differing_buckets(self) -> list[int] | None:
        """Return the buckets to read; None: all rows."""
        there = self._source.checksums(BUCKETS)
        if there is None:
            return None
        here = self._current.checksums(BUCKETS)
        self._counts = (_sum(here), _sum(there))
        self._say_counts()
        every = here.keys() | there.keys()
        found = sorted(one for one in every if here.get(one) != there.get(one))
        self._say(f"{len(found):,} of {len(every):,} ranges of keys differ in their checksums")
        # few become a filter; for many, the whole table is read
        return found if len(found) <= MAX_READ else None

    def _say_counts(self) -> None:
        there = "at the source" if self._source.moves else "in the file"
        self._say(f"{self._counts[0]:,} rows here, {self._counts[1]:,} {there}")

    def _looked_at_again(
        self, keys: "DataFrame", chosen: list[int] | None, first: "DataFrame", moment: datetime
    ) -> tuple["DataFrame", datetime]:
        """Tell rows that differ from rows that are changing.

        Args:
            keys: the keys of the rows that differed.
            chosen: the buckets that they are in.
            first: the source's rows at that time.
            moment: the time by which they had been read.

        Returns:
            The rows with their verdict, and the moment that it is valid for.
        """
        until = time.monotonic() + self._wait
        settled = None
        while True:
            past = f"{moment:%Y-%m-%d %H:%M:%S} UTC"
            self._say(f"{keys.count():,} rows differ: waiting for the lake to reach {past}")
            has_passed = self._waited_for(moment, until)
            # the source last: an unchanged row did not change while the lake was read
            here = self._here(chosen)
            second, next_moment = self._there(chosen), self._now()
            unchanged = f"{str(has_passed).lower()} and first <=> there"
            rows = (
                keys.join(first.withColumnRenamed("cells", "first"), "k", "left")
                .join(here.withColumnRenamed("cells", "here"), "k", "left")
                .join(second.withColumnRenamed("cells", "there"), "k", "left")
                .where("not (here <=> there) and not (here <=> first)")
                .selectExpr(
                    "k", "here", "there",
                    f"if({unchanged}, '{DIFFERS}', '{UNDECIDED}') as verdict",
                )
                .localCheckpoint()
            )  # fmt: skip
            found = rows if settled is None else settled.union(rows)
            keys = rows.where(f"verdict = '{UNDECIDED}'").select("k")
            if keys.isEmpty() or not has_passed or time.monotonic() >= until:
                return found, moment
            # rows that were found to differ stay so, whatever happens to them later
            settled = found.where(f"verdict = '{DIFFERS}'")
            first, moment = second, next_moment

    def _waited_for(self, moment: datetime, until: float) -> bool:
        while not (has_passed := self._progress.has_passed(moment, self._source.now())):
            left = until - time.monotonic()
            if left <= 0:
                break
            time.sleep(min(POLL_SECONDS, left))
        return has_passed

    def _there(self, chosen: list[int] | None) -> "DataFrame":
        """Return the source's present rows: `k`, the key, and `cells`.

        Raises:
            UserError: two rows have the same key.
        """
        rows = normalised_rows(self._source, BUCKETS, chosen)
        found = self._by_key(rows.selectExpr("*", "1L as times"))
        if self._key and (twice := found.groupBy("k").count().where("count > 1").first()):
            (row, *_) = found.where(found["k"] == twice["k"]).take(1)
            cells = dict(zip((one.source for one in self._columns), row["cells"], strict=True))
            key = ", ".join(f"{one.source} = {cells[one.source]}" for one in self._key)
            raise UserError(
                f"{self._source.name} has {twice['count']} rows with the same key"
                f" ({in_line(key)}): the model's key is not unique there: declare one that is, or"
                " remove the duplicates"
            )
        return found

    def _here(self, chosen: list[int] | None) -> "DataFrame":
        return self._by_key(self._current.rows(BUCKETS, chosen))

    def _by_key(self, rows: "DataFrame") -> "DataFrame":
        names = [f"c{index}" for index in range(len(self._columns))]
        key = [
            f"lower({name})" if one.ignores_case else name
            for name, one in zip(names, self._columns, strict=True)
            if one in (self._key or self._columns)
        ]
        if not self._key:
            # equal rows become one with a count, however either side counts them
            rows = rows.groupBy(*names).sum("times").withColumnRenamed("sum(times)", "times")
            names.append("string(times)")
        # read once: a second read may return something else
        return rows.selectExpr(
            f"{row_text(key)} as k", f"array({', '.join(names)}) as cells"
        ).localCheckpoint()

    def _count(self, rows: "DataFrame") -> int:
        counted = "count(*)" if self._key else "coalesce(sum(bigint(element_at(cells, -1))), 0)"
        return int(rows.selectExpr(counted).collect()[0][0])

    def _cells_of(self, rows: "DataFrame") -> Iterator[Difference]:
        names = [one.name for one in self._columns] + [COUNT] * (not self._key)
        key = [one.name for one in self._key or self._columns]
        for row in rows.orderBy("k").toLocalIterator():
            here, there = row.here, row.there
            cells = dict(zip(names, there or here, strict=True))
            of_row = {name: cells[name] for name in key}
            if here is None or there is None:
                kind = MISSING if here is None else EXTRA
                # the count of equal rows in a table without a key
                count = (cells.get(COUNT), None) if there is None else (None, cells.get(COUNT))
                yield Difference(row.verdict, kind, of_row, None, *count)
                continue
            for name, ours, theirs in zip(names, here, there, strict=True):
                if ours != theirs:
                    yield Difference(row.verdict, CELL, of_row, name, ours, theirs)


def _sum(checksums: Checksums) -> int:
    return sum(rows for rows, _ in checksums.values())
