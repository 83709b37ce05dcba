"""How far a lake has come, for one of its current tables."""

import hashlib
import re
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from changelake.build.declared_tables import is_of_table
from changelake.core.quoting import sql_name, sql_string
from changelake.reconcile.model import Model
from changelake.spark.derby import hold_catalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Progress:
    """How far the events of a current table have come.

    Args:
        spark: the session.
        model: the current table.
        lag_seconds: the guaranteed maximum time from commit to landing; None: only later messages
            prove it.
    """

    def __init__(self, spark: "SparkSession", model: Model, lag_seconds: float | None) -> None:
        self._spark = spark
        self._model = model
        self._lag = lag_seconds

    def has_passed(self, moment: datetime, now: datetime) -> bool:
        """Say whether the table holds all that its source committed before a moment.

        Args:
            moment: by the source's clock.
            now: the time by that clock.
        """
        is_late = self._lag is not None and (now - moment).total_seconds() >= self._lag
        return (is_late or self._streams_have_passed(moment)) and self._is_built()

    def _streams_have_passed(self, moment: datetime) -> bool:
        """Say whether each partition has a change that was committed after a moment.

        Earlier commits are then in the stream before it. Rows of a snapshot do not prove that, nor
        do messages that had landed before the moment: their clock is ahead.
        """
        if not self._topics:
            return False
        topics = ", ".join(map(sql_string, self._topics))
        of_topics = f"{self._of_feeds()} and kafka_topic in ({topics})"
        after = f"timestamp{sql_string(f'{moment:%Y-%m-%d %H:%M:%S.%f}')}"
        behind = self._ask(
            "select kafka_topic, kafka_partition from silver.message_counts_by_day"
            f" where {of_topics} except"
            f" select kafka_topic, kafka_partition from {self._events()} where {of_topics}"
            f" and landed_date >= date({after}) and landed_at > {after} and committed_at > {after}"
            " and operation is distinct from 'snapshot'"
        )
        return not behind

    @cached_property
    def _topics(self) -> set[str]:
        """The topics that events of the table have come from."""
        return {topic for topic, *table in self._tables() if is_of_table(self._model.meta, *table)}

    def _is_built(self) -> bool:
        """Say whether all that has landed is in the table."""
        bronze = self._model.meta["events"].removesuffix("_events")
        parsed: dict[str, str] = dict(
            self._ask(
                "select feed, string(max(last_landed_at)) from silver.message_counts_by_day"
                f" where {self._of_feeds()} and format = {sql_string(bronze)} group by feed"
            )
        )
        for feed in self._model.meta["feeds"]:
            query = f"select 1 from bronze.{sql_name(bronze)} where feed = {sql_string(feed)}"
            if feed in parsed:
                newest = f"timestamp{sql_string(parsed[feed])}"
                query += f" and landed_date >= date({newest}) and landed_at > {newest}"
            if self._ask(f"{query} limit 1"):
                return False
        pending = self._tables(f" and parse_batch > {self._batch()}")
        return not any(is_of_table(self._model.meta, *table) for _, *table in pending)

    def _tables(self, more: str = "") -> list[Any]:
        """Return topic, feed, database, schema and table of events."""
        return self._ask(
            "select distinct kafka_topic, feed, database_name, schema_name, table_name"
            f" from {self._events()} where {self._of_feeds()}{more}"
        )

    def _ask(self, query: str) -> list[Any]:
        # a run need not wait while it is computed
        with hold_catalog(self._spark):
            frame = self._spark.sql(query)
        return frame.collect()

    def _batch(self) -> int:
        """Return the newest batch that the table has seen, as macros/state/pending keeps it.

        A lake whose path has special characters keeps no watermarks: there it is the newest batch
        that has changed the table.
        """
        key = hashlib.md5(self._model.meta["state"].encode()).hexdigest()
        rows = self._ask("describe schema extended state")
        text = "".join(row[1] for row in rows if row[0] == "Properties")
        found = re.search(rf"\(changelake\.{key},[a-z0-9_]+ ([0-9]+) ", text)
        if found:
            return int(found[1])
        state = f"state.{sql_name(self._model.meta['state'])}"
        return int(self._ask(f"select coalesce(max(_batch), -1) from {state}")[0][0])

    def _events(self) -> str:
        return f"silver.{sql_name(self._model.meta['events'])}"

    def _of_feeds(self) -> str:
        return f"feed in ({', '.join(sql_string(one) for one in self._model.meta['feeds'])})"
