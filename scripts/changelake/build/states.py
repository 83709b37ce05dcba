"""The state tables that a lake has, and whether some are large."""

from collections.abc import Set

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core.quoting import sql_name
from changelake.spark.sql_session import SqlSession

# A MERGE reads the keys of all rows: from this many rows on, it is faster with generated code,
# however few changes there are (docs/decisions/0002-speed.md).
MANY_ROWS = 1_000_000


def state_tables(lake: SqlSession) -> set[str]:
    """Return the names of the tables in the schema `state`."""
    if not lake.catalog.databaseExists("state"):
        return set()
    return {row.tableName for row in lake.sql("show tables in state").collect()}


def has_large_table(lake: SqlSession, states: Set[str]) -> bool:
    """Say whether one of some tables of the schema `state` has many rows.

    Args:
        lake: takes statements.
        states: the tables' names; those that are not there have no rows.
    """
    there = state_tables(lake)
    counts = [
        f"select count(*) as rows from state.{sql_name(one)}"
        for one in states
        # Spark lists them in lower case
        if one.lower() in there
    ]
    if not counts:
        return False
    try:
        # not a dbt model, since it runs before dbt builds, on the tables of this run; Delta counts
        # rows without a scan
        largest = f"select max(rows) from ({' union all '.join(counts)})"
        return int(lake.sql(largest).collect()[0][0]) >= MANY_ROWS
    except (Py4JJavaError, PySparkException):
        # the model of a damaged table reports it
        return False
