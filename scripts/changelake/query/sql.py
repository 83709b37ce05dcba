"""Runs statements on the lake and prints what they give."""

import contextlib
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import ConsoleOptions
from rich.table import Table
from rich.text import Text

from changelake.core import settings
from changelake.core.errors import UserError, sql_error
from changelake.core.logs import under_spark_submit
from changelake.core.quoting import sql_name, sql_string
from changelake.core.terminal import Terminal
from changelake.query import rows
from changelake.query.relations import SHOWN_SCHEMAS, lake_tables, near_names
from changelake.spark.catalog import relation_names
from changelake.spark.derby import CATALOG_WAIT_SECONDS, derby_directory, hold_catalog
from changelake.spark.profile import profile_confs
from changelake.spark.session import spark_session
from changelake.spark.thrift import ThriftSession

Result = tuple[list[str], Iterator[str]]


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


class EmbeddedLake:
    """The lake through a Spark session of this process.

    Args:
        target: sample or local.
        wait_seconds: how long to wait for a catalog that another process has open.
    """

    def __init__(self, target: str, wait_seconds: float = CATALOG_WAIT_SECONDS) -> None:
        check_lake(target)
        self.spark = spark_session("changelake sql", target, hive=True, wait_seconds=wait_seconds)
        self.wait_seconds = wait_seconds

    def run(self, statement: str) -> Result:
        """Run a statement; return its columns and its rows as JSON objects.

        Raises:
            UserError: Spark refuses it.
        """
        try:
            # what it reads is known by its place: a run need not wait for a long query
            with hold_catalog(self.spark, self.wait_seconds):
                frame = self.spark.sql(statement)
            names = rows.unique_names(frame.columns)
            if names != frame.columns:
                frame = frame.toDF(*names)
            return names, _in_one_line(rows.spark_rows(frame))
        except Exception as error:
            raise with_near_names(sql_error(error), self._relation_names) from None

    def tables(self) -> Result:
        """Return the columns and rows of a list of what the lake holds."""
        try:
            with hold_catalog(self.spark, self.wait_seconds):
                return lake_tables(self.spark)
        except Exception as error:
            raise sql_error(error) from None

    def _relation_names(self) -> list[tuple[str, str]]:
        # only for a better error: worth no waiting
        with hold_catalog(self.spark, seconds=0.0):
            return relation_names(self.spark, SHOWN_SCHEMAS)


class ClusterLake:
    """The lake through Spark's Thrift server.

    Raises:
        UserError: the server does not answer, or PyHive is not installed.
    """

    def __init__(self) -> None:
        self.session = ThriftSession()

    def _relation_names(self) -> list[tuple[str, str]]:
        return self.session.catalog.relations(SHOWN_SCHEMAS)

    def tables(self) -> Result:
        """Refuse: the logs are files of the server's."""
        raise UserError("--tables reads the files of a lake here: ask `show tables in current`")

    def run(self, statement: str) -> Result:
        """Run a statement; return its columns and its rows as JSON objects.

        Raises:
            UserError: Spark refuses it.
        """
        try:
            cursor = self.session.connection.cursor()
            if re.match(r"\s*(select|with|values|from|table|\()", statement, re.IGNORECASE):
                cursor.execute(f"select * from (\n{statement}\n) limit 0")
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


def _in_one_line(lines: Iterator[str]) -> Iterator[str]:
    # what comes to light only while rows are fetched
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


def with_near_names(error: UserError, known: Callable[[], list[tuple[str, str]]]) -> UserError:
    """Return an error with the names that may be meant, if it is of a relation there is none of.

    Args:
        error: Spark's, in one line.
        known: asked then for schema and name of each relation.
    """
    found = re.match(
        r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view (`.*?`) cannot be found\. ", str(error)
    )
    if not found:
        return error
    names: list[str] = []
    with contextlib.suppress(Exception):
        names = near_names(found[1].replace("`", "").removeprefix("spark_catalog."), known())
    do = f"did you mean {' or '.join(names)}?" if names else "scripts/sql.py --tables lists all"
    return UserError(f"the table or view {found[1]} cannot be found: {do}")


def print_result(result: Result, style: str, console: Terminal | None = None) -> None:
    """Print the rows of a statement.

    Args:
        result: columns and rows.
        style: `table`, `csv` or `json`.
        console: where a table goes; by default standard output.
    """
    names, lines = result
    if not names:
        return
    if style == "table":
        _print_table(names, lines, console)
    else:
        _write_exact(names, lines, style)
    sys.stdout.flush()


def _write_exact(names: list[str], lines: Iterator[str], style: str) -> None:
    # what one_line_errors() spells out for people would be another value here
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="strict")
    try:
        _write(names, lines, style)
    except UnicodeEncodeError as error:
        raise UserError(
            f"standard output's encoding {error.encoding} lacks a letter of a value: set"
            " PYTHONIOENCODING=utf-8"
        ) from None


def _write(names: list[str], lines: Iterator[str], style: str) -> None:
    if style == "json":
        for line in lines:
            sys.stdout.write(line + "\n")
    else:
        sys.stdout.write(rows.csv_line(names) + "\n")
        for line in lines:
            cells = [rows.cell(value) for _, value in rows.parse(line)]
            sys.stdout.write(rows.csv_line(cells) + "\n")


def _print_table(names: list[str], lines: Iterator[str], console: Terminal | None) -> None:
    parsed = [rows.parse(line) for line in lines]
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for index, name in enumerate(names):
        numbers = [row[index][1] for row in parsed if row[index][1] is not None]
        is_number = bool(numbers) and all(isinstance(value, rows.Number) for value in numbers)
        # Never cut: a value that is too long for its column goes on in the next line.
        table.add_column(name, overflow="fold", justify="right" if is_number else "left")
    for row in parsed:
        table.add_row(*(_table_cell(value) for _, value in row))
    console = console or Terminal()
    if not console.is_terminal:
        # In a file or a pipe every row is one line, however long.
        console.width = max(console.measure(table, options=_unbounded(console)).maximum, 1)
    console.print(table)
    console.print(
        f"{len(parsed)} {'row' if len(parsed) == 1 else 'rows'}", highlight=False, soft_wrap=True
    )


def _unbounded(console: Terminal) -> ConsoleOptions:
    return console.options.update(width=1_000_000, max_width=1_000_000)


def _table_cell(value: Any) -> str | Text:
    text = rows.cell(value)
    return Text("null", style="dim") if text is None else text
