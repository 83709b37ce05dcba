"""A current table as one side of a comparison, now or at an earlier moment."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name
from changelake.reconcile.model import Model
from changelake.reconcile.sources import Checksums
from changelake.reconcile.texts import Column, of_current, row_text
from changelake.spark.derby import hold_catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# a number of 60 bits of the MD5 of a text, as the databases compute it
HASH = "cast(conv(left(md5({}), 15), 16, 10) as bigint)"


class CurrentTable:
    """A current table, as texts that can be compared with a source's.

    Args:
        spark: the session.
        model: its declaration.
        columns: what is compared.
        at: the moment of its rows, taken from its history; None: now.
    """

    def __init__(
        self, spark: "SparkSession", model: Model, columns: list[Column], at: datetime | None
    ) -> None:
        self._spark = spark
        self._model = model
        texts = ", ".join(f"{of_current(one)} as c{index}" for index, one in enumerate(columns))
        times = "_row_count" if "_row_count" in model.types else "1L"
        relation = f"{model.schema}.{sql_name(model.name)}"
        if at is not None:
            moment = f"timestamp'{at:%Y-%m-%d %H:%M:%S.%f}'"
            relation = macro_sql("state/history", "as_of", relation, moment)
        self._select = f"select {texts}, {times} as times from {relation}"
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
        # its table is resolved to a path by now: a run need not wait
        with hold_catalog(self._spark):
            return self._spark.sql(self._select)
