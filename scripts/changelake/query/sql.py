"""Runs statements on the lake."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from changelake.core import settings
from changelake.core.errors import UserError, sql_error
from changelake.core.logs import under_spark_submit
from changelake.core.quoting import sql_name, sql_string
from changelake.query import rows
from changelake.query.near_names import with_near_names
from changelake.query.relations import SHOWN_SCHEMAS, lake_tables
from changelake.spark.catalog import all_relation_names
from changelake.spark.derby import CATALOG_WAIT_SECONDS, derby_directory, hold_catalog
from changelake.spark.profile import profile_confs
from changelake.spark.serving import Served
from changelake.spark.session import spark_session
from changelake.spark.thrift import ThriftSession


def check_lake(target: str) -> None:
    """Check that the target has a catalog already.

    Raises:
        UserError: nothing was built yet.
    """
    if under_spark_submit() or settings.local_path(settings.location()) is None:
        return
    directory = derby_directory(profile_confs(target))
    if directory is not None and not directory.exists():
        build = "dbt build" if target == "sample" else "scripts/run.py"
        raise UserError(f"there is no lake in {settings.location()} yet: run `{build}` first")


class EmbeddedQueries:
    """Runs statements in a Spark session of this process.

    Args:
        target: sample or local.
        wait_seconds: how long to wait for a catalog that another process has open.
    """

    def __init__(self, target: str, wait_seconds: float = CATALOG_WAIT_SECONDS) -> None:
        check_lake(target)
        self.spark = spark_session("changelake sql", target, hive=True, wait_seconds=wait_seconds)
        self.wait_seconds = wait_seconds

    def run(self, statement: str) -> rows.Result:
        """Run a statement; return its columns and its rows as JSON objects.

        Raises:
            UserError: Spark refuses it.
        """
        try:
            # its tables are resolved to paths here: a run need not wait for a long query
            with hold_catalog(self.spark, self.wait_seconds):
                frame = self.spark.sql(statement)
            names = rows.unique_names(frame.columns)
            if names != frame.columns:
                frame = frame.toDF(*names)
            return names, _in_one_line(rows.spark_rows(frame))
        except Exception as error:
            raise with_near_names(sql_error(error), self._relation_names) from None

    def tables(self) -> rows.Result:
        """Return the columns and rows of a list of what the lake holds."""
        try:
            with hold_catalog(self.spark, self.wait_seconds):
                return lake_tables(self.spark, all_relation_names(self.spark, SHOWN_SCHEMAS))
        except Exception as error:
            raise sql_error(error) from None

    def _relation_names(self) -> list[tuple[str, str]]:
        # only for a better error: not worth waiting for
        with hold_catalog(self.spark, seconds=0.0):
            return all_relation_names(self.spark, SHOWN_SCHEMAS)


class ServerQueries:
    """Runs statements on a Thrift server.

    Args:
        served: the lake that a process serves; None: the server of target cluster.

    Raises:
        UserError: the server does not answer, or PyHive is not installed.
    """

    def __init__(self, served: Served | None = None) -> None:
        self._served = served
        self.session = ThriftSession(served)

    def _relation_names(self) -> list[tuple[str, str]]:
        return self.session.catalog.relations(SHOWN_SCHEMAS)

    def tables(self) -> rows.Result:
        """Return the columns and rows of a list of what a served lake holds.

        Raises:
            UserError: the logs are files of a cluster's.
        """
        if not self._served:
            raise UserError("--tables reads the files of a lake here: ask `show tables in current`")
        names = self.session.catalog.all_relations(SHOWN_SCHEMAS)
        # without the catalog, which the server has
        return lake_tables(spark_session("changelake sql", "local", hive=False), names)

    def run(self, statement: str) -> rows.Result:
        """Run a statement; return its columns and its rows as JSON objects.

        Raises:
            UserError: Spark refuses it.
        """
        try:
            cursor = self.session.connection.cursor()
            if _is_query(cursor, statement):
                unique = rows.unique_names(_column_names(cursor))
                options = ", ".join(
                    f"{sql_string(key)}, {sql_string(value)}"
                    for key, value in rows.JSON_OPTIONS.items()
                )
                listed = ", ".join(map(sql_name, unique))
                cursor.execute(
                    f"select to_json(struct(*), map({options})) from (\n{statement}\n) "
                    f"as lines ({listed})"
                )
                return unique, _in_one_line(rows.spell_out(row[0]) for row in cursor)
            cursor.execute(statement)
            names = rows.unique_names(_column_names(cursor))
            if not names:
                return names, iter(())
            return names, _in_one_line(_plain_row(names, row) for row in cursor)
        except Exception as error:
            raise with_near_names(sql_error(error), self._relation_names) from None


def _is_query(cursor: Any, statement: str) -> bool:
    """Say whether a statement is a query, whose columns the cursor then has."""
    # `show tables` would be a table with an alias
    if not re.match(r"\s*(select|with|values|from|table|\()", statement, re.IGNORECASE):
        return False
    try:
        cursor.execute(f"select * from (\n{statement}\n) limit 0")
    except Exception as error:
        # `with … insert into`, or no SQL, which Spark says better of the statement alone
        if "[PARSE_SYNTAX_ERROR]" in str(error):
            return False
        raise
    return True


def _in_one_line(lines: Iterator[str]) -> Iterator[str]:
    # some errors show only while rows are fetched
    try:
        yield from lines
    except Exception as error:
        raise sql_error(error) from None


def _column_names(cursor: Any) -> list[str]:
    description: list[Any] = cursor.description or []
    return [column[0] for column in description]


def _plain_row(names: list[str], values: Iterable[Any]) -> str:
    # What commands such as `show tables` give: texts, numbers and truth values.
    def value(item: Any) -> str:
        return rows.dump(item if isinstance(item, str | bool | int | None) else str(item))

    fields = (f"{rows.dump(name)}:{value(item)}" for name, item in zip(names, values, strict=True))
    return "{" + ",".join(fields) + "}"
