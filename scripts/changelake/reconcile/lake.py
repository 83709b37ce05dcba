"""A current table as it is compared, and how far the lake has come."""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from changelake.build.dbt import is_of_table
from changelake.core.quoting import sql_name, sql_string
from changelake.reconcile.model import Model
from changelake.reconcile.sources import Checksums
from changelake.reconcile.texts import Column, of_current, row_text
from changelake.spark.derby import hold_catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# a number of 60 bits of the MD5 of a text, as the databases compute it
HASH = "cast(conv(left(md5({}), 15), 16, 10) as bigint)"


class CurrentTable:
    """A current table, as texts that a source has too.

    Args:
        spark: the session.
        model: what is declared of it.
        columns: what is compared.
    """

    def __init__(self, spark: "SparkSession", model: Model, columns: list[Column]) -> None:
        self._spark = spark
        self._model = model
        texts = ", ".join(f"{of_current(one)} as c{index}" for index, one in enumerate(columns))
        times = "_row_count" if "_row_count" in model.types else "1L"
        self._select = f"select {texts}, {times} as times from current.{sql_name(model.name)}"
        names = [f"c{index}" for index in range(len(columns))]
        key = [index for index, one in enumerate(columns) if one.name in model.key]
        self._key = row_text([names[index] for index in key or range(len(columns))])
        self._row = row_text(names)

    def checksums(self, buckets: int) -> Checksums:
        """Return count and checksum of the rows by bucket, as JdbcSource.checksums() does."""
        from pyspark.sql import functions as f

        hashed = self._frame().selectExpr(
            f"{HASH.format(self._key)} % {buckets} as bucket",
            f"cast({HASH.format(self._row)} as decimal(38, 0)) * times as hashed",
            "times",
        )
        sums = hashed.groupBy("bucket").agg(f.expr("sum(times)"), f.expr("sum(hashed)"))
        found: list[Any] = sums.collect()
        return {bucket: (rows, int(checksum)) for bucket, rows, checksum in found}

    def rows(self, buckets: int, chosen: Iterable[int] | None) -> "DataFrame":
        """Return the texts of rows, with `times`: of some of the buckets, or of all."""
        frame = self._frame()
        if chosen is None:
            return frame
        wanted = ", ".join(map(str, chosen))
        return frame.where(f"{HASH.format(self._key)} % {buckets} in ({wanted})")

    def _frame(self) -> "DataFrame":
        # what it reads is known by its place: a run need not wait for it
        with hold_catalog(self._spark):
            return self._spark.sql(self._select)


class Progress:
    """How far the events of a current table have come.

    Args:
        spark: the session.
        model: the current table.
        lag_seconds: after how many seconds a change at the source has landed at the latest.
    """

    def __init__(self, spark: "SparkSession", model: Model, lag_seconds: float) -> None:
        self._spark = spark
        self._model = model
        self._lag = lag_seconds

    def has_passed(self, moment: datetime, now: datetime) -> bool:
        """Say whether the table holds all that its source committed before a moment.

        Args:
            moment: by the source's clock.
            now: the time by that clock.
        """
        with hold_catalog(self._spark):
            is_late = (now - moment).total_seconds() >= self._lag
            return (is_late or self._streams_have_passed(moment)) and self._is_built()

    def _streams_have_passed(self, moment: datetime) -> bool:
        """Say whether each partition has a change that was committed after a moment.

        What was committed before stands before it. A snapshot's rows do not tell that.
        """
        text = sql_string(f"{moment:%Y-%m-%d %H:%M:%S.%f}")
        (row,) = self._spark.sql(
            "select bool_and(passed) as passed from (select coalesce(max(committed_at) filter"
            f" (where operation != 'snapshot') > timestamp{text}, false) as passed from"
            f" {self._events()} where {self._of_feeds()} group by kafka_topic, kafka_partition)"
        ).collect()
        return bool(row.passed)

    def _is_built(self) -> bool:
        """Say whether all that has landed is in the table."""
        meta = self._model.meta
        bronze = f"bronze.{sql_name(str(meta['events']).removesuffix('_events'))}"
        newest = (
            f"select feed, max(landed_at) as landed_at from {{}} where {self._of_feeds()}"
            " group by feed"
        )
        unread = self._spark.sql(
            f"select 1 from ({newest.format(bronze)}) as landed"
            f" left join ({newest.format(self._events())}) as parsed using (feed)"
            " where parsed.landed_at is null or parsed.landed_at < landed.landed_at limit 1"
        ).collect()
        if unread:
            return False
        pending: list[Any] = self._spark.sql(
            "select distinct feed, database_name, schema_name, table_name"
            f" from {self._events()} where {self._of_feeds()} and parse_batch > {self._batch()}"
        ).collect()
        return not any(is_of_table(meta, *place) for place in pending)

    def _batch(self) -> int:
        """Return the newest batch that the table has seen, as macros/state/pending keeps it."""
        key = hashlib.md5(str(self._model.meta["state"]).encode()).hexdigest()
        rows = self._spark.sql("describe schema extended state").collect()
        text = "".join(row[1] for row in rows if row[0] == "Properties")
        found = re.search(rf"\(changelake\.{key},[a-z0-9_]+ ([0-9]+) ", text)
        return int(found[1]) if found else -1

    def _events(self) -> str:
        return f"silver.{sql_name(self._model.meta['events'])}"

    def _of_feeds(self) -> str:
        return f"feed in ({', '.join(sql_string(one) for one in self._model.meta['feeds'])})"
