"""The figures of a lake's health, from the monitoring models and Delta's logs."""

import json
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, cast

from changelake.build.marks import Marks
from changelake.core.errors import UserError, sql_error
from changelake.core.json_lines import append_lines
from changelake.core.macros import macro_result
from changelake.query import rows
from changelake.query.relations import table_sizes
from changelake.spark.derby import hold_catalog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = list[dict[str, Any]]
# How many days of counts are shown, and how many days of runs.
DAYS, RUN_DAYS = 30, 7


@dataclass
class Figures:
    """The figures of a lake at one moment: rows of the models, as dictionaries.

    Columns that end in `_age` are in seconds before `taken_at`.

    Attributes:
        sizes: how large each table is now.
        last_run: the row of the last run, however old; empty before the first one.
        open: decisions that are still open, a line each.
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
    open: list[str] = field(default_factory=list[str])


def take_figures(spark: "SparkSession", target: str) -> Figures:
    """Take the figures, and record the sizes of tables for the model `table_sizes`.

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
            # this session may have cached their lists of files
            for name in ("runs", "tables"):
                spark.catalog.refreshTable(f"monitoring.{name}")
            moment = f"timestamp'{now.isoformat()}'"
            queries = macro_result("health", "figures", moment, str(DAYS), str(RUN_DAYS))
            frames = {
                name: spark.sql(query) for name, query in cast(dict[str, str], queries).items()
            }
        except Exception as error:
            raise sql_error(error) from None
    # the tables are resolved to paths by now: a run need not wait
    found = {name: _rows(frame) for name, frame in frames.items()}
    return Figures(now, target, sizes, **found, open=Marks(target).open())


def _rows(frame: "DataFrame") -> Rows:
    # as JSON, since a source's timestamps may be outside Python's range
    try:
        return [json.loads(line) for line in rows.spark_rows(frame)]
    except Exception as error:
        raise sql_error(error) from None
