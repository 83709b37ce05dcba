"""The figures of a lake's health: what the models of monitoring say, and sizes by Delta's logs."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from changelake.core.errors import UserError, sql_error
from changelake.core.written import append_lines
from changelake.query import rows
from changelake.query.relations import table_sizes
from changelake.spark.derby import hold_catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = list[dict[str, Any]]
# Days that are counted and shown, and those over which runs are.
DAYS, RUN_DAYS = 30, 7

# no models: each would be one more view in every full build, and none could take `{now}`
# `{now}` becomes the moment at which the figures are taken, for all of them one
_AGE = "(unix_micros({{now}}) - unix_micros({0})) / 1e6 as {0}_age"
# a signal has ended the others, and the next run goes on
_RUNS = (
    f"select *, exit_code between 1 and 127 as has_failed, {_AGE.format('ended_at')}"
    " from silver.run_costs"
)
_QUERIES = {
    "freshness": "select *, {} from silver.freshness order by all".format(
        ", ".join(
            _AGE.format(column)
            for column in (
                "newest_committed_at", "newest_kafka_timestamp", "newest_landed_at",
                "newest_parsed_at", "unparsed_since",
            )
        )
    ),
    "lag": "select * from silver.lag order by all",
    "outcomes": "select feed, format, outcome, sum(messages) as messages"
    " from silver.message_counts group by all order by all",
    "events": "select landed_date, coalesce(operation, event_type) as operation,"
    f" sum(events) as events from silver.event_counts where landed_date > current_date() - {DAYS}"
    " group by all order by all",
    "tables": "select feed, concat_ws('.', database_name, schema_name, table_name) as source_table,"
    " sum(events) as events, max(landed_date) as last_day from silver.event_counts"
    f" where event_type = 'row' and landed_date > current_date() - {DAYS} group by all"
    " order by events desc, source_table, feed",
    "rejects": "select *, landed_date >= current_date() - 1 as is_recent from"
    f" silver.rejects_by_reason where landed_date > current_date() - {DAYS} order by all",
    "drift": "select model, kind, count(*) as columns, array_join(array_sort(collect_set("
    "column_name)), ', ') as names from silver.column_drift group by all order by all",
    "sizes_by_day": "select date(measured_at) as day, schema_name, max_by(bytes, measured_at) as"
    " bytes from (select measured_at, schema_name, sum(bytes) as bytes from silver.table_sizes"
    f" where measured_at > {{now}} - interval {DAYS} days group by all)"
    " group by all order by all",
    "runs": f"{_RUNS} where started_at > {{now}} - interval {RUN_DAYS} days order by ended_at",
    # of a lake that stands still it is older
    "last_run": f"{_RUNS} order by ended_at desc limit 1",
}  # fmt: skip


@dataclass
class Figures:
    """The figures of a lake at one moment: rows of the models, as dictionaries.

    Columns that end with `_age` are seconds until then.

    Attributes:
        sizes: how large each table is now.
        last_run: the row of the last run, however old it is; none before the first one.
    """

    taken_at: datetime
    target: str
    sizes: Rows
    freshness: Rows
    lag: Rows
    outcomes: Rows
    events: Rows
    tables: Rows
    rejects: Rows
    drift: Rows
    sizes_by_day: Rows
    runs: Rows
    last_run: Rows


def take_figures(spark: "SparkSession", target: str) -> Figures:
    """Take the figures, and write down how large the tables are, for the model `table_sizes`.

    Args:
        spark: a session with the catalog.
        target: the profile's target.

    Raises:
        UserError: the lake has no models of monitoring, or Spark cannot read what they read.
    """
    now = datetime.now(timezone.utc)
    with hold_catalog(spark):
        if not spark.catalog.tableExists("silver.table_sizes"):
            build = "dbt build" if target == "sample" else "scripts/run.py"
            raise UserError(f"the lake has no models of its health yet: run `{build}` first")
        sizes = [asdict(one) for one in table_sizes(spark)]
        append_lines("tables", target, [{"measured_at": now, **one} for one in sizes])
        try:
            # this session may have read them before
            for name in ("runs", "tables"):
                spark.catalog.refreshTable(f"monitoring.{name}")
            moment = f"timestamp'{now.isoformat()}'"
            frames = {name: spark.sql(query.format(now=moment)) for name, query in _QUERIES.items()}
        except Exception as error:
            raise sql_error(error) from None
    # what they read is known by its place: a run need not wait
    return Figures(now, target, sizes, **{name: _rows(frame) for name, frame in frames.items()})


def _rows(frame: "DataFrame") -> Rows:
    # as JSON, since a source's time may be none of Python's
    try:
        return [json.loads(line) for line in rows.spark_rows(frame)]
    except Exception as error:
        raise sql_error(error) from None
