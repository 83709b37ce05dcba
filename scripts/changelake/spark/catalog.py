"""The embedded catalog, and the tables that lie in its directories."""

import os
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.quoting import sql_name, sql_string
from changelake.spark.delta import LOG, version_of
from changelake.spark.jvm import java_packages, java_session

# Schemas whose tables a build can recreate, since they are derived from others.
DERIVED_SCHEMAS = ("silver", "state")


class Restored(NamedTuple):
    """What restore_catalog() has changed in the catalog.

    Attributes:
        registered: the tables that it did not know.
        dropped: those whose directory is gone.
    """

    registered: list[str]
    dropped: list[str]


def relation_names(spark: Any, schemas: Iterable[str]) -> list[tuple[str, str]]:
    """Return schema and name of the tables and views that the embedded catalog knows.

    Args:
        spark: a session with that catalog.
        schemas: in which to look, of which not all need be.

    Returns:
        Those of one schema after another, sorted.
    """
    catalog = _catalog(spark)
    # not by a statement of Spark's, which would cost each run a second per schema
    return [
        (schema, name)
        for schema in schemas
        if catalog.databaseExists(schema)
        for name in sorted(str(catalog.listTables(schema).mkString("\n")).splitlines())
    ]


def all_relation_names(spark: Any, first: Sequence[str]) -> list[tuple[str, str]]:
    """Return schema and name of all tables and views that the embedded catalog knows.

    Args:
        spark: a session with that catalog.
        first: the schemas to begin with; Spark's own empty one, `default`, is left out.
    """
    known = set(str(_catalog(spark).listDatabases().mkString("\n")).splitlines())
    return relation_names(spark, [*first, *sorted(known - {*first, "default"})])


def restore_catalog(spark: Any) -> Restored:
    """Register the tables in the catalog's directories that it does not know, and drop lost ones.

    The catalog was lost, or a kill came between a table's first commit and its registration. A
    table of silver or state whose directory is gone, since its log was damaged, is dropped, and a
    build recreates it. Bronze's tables are registered with the properties that they have: a build
    would insist on those of its own `create table`.

    Args:
        spark: a session with the embedded catalog, which this process alone has open.

    Raises:
        UserError: a table's log has an empty commit, as a power failure leaves it. Delta reads
            it as one without rows, while a build has noted that they are there.
    """
    registered: list[str] = []
    dropped: list[str] = []
    _check_logs(warehouse(spark))
    for place in _schemas(spark):
        schema, there = place.stem, _tables(place)
        known = {name for _, name in relation_names(spark, [schema])}
        registered += _register(spark, schema, {name: there[name] for name in there.keys() - known})
        if schema in DERIVED_SCHEMAS:
            for name in sorted(known - there.keys()):
                if _is_lost(_catalog(spark).getTable(schema, name)):
                    spark.sql(f"drop table {_quoted(schema, name)}")
                    dropped.append(f"{schema}.{name}")
    bronze = settings.local_path(settings.location("bronze"))
    if registered and bronze and bronze.is_dir():
        known = {name for _, name in relation_names(spark, ["bronze"])}
        # one in which nothing has landed belongs to a format without a feed: a build makes it
        there = {name: one for name, one in _tables(bronze).items() if _has_later_commit(one)}
        registered += _register(
            spark, "bronze", {name: there[name] for name in there.keys() - known}
        )
    return Restored(registered, dropped)


def _register(spark: Any, schema: str, tables: dict[str, Path]) -> list[str]:
    if tables:
        spark.sql(f"create schema if not exists {sql_name(schema)}")
    for name, directory in sorted(tables.items()):
        location = sql_string(str(directory))
        spark.sql(f"create table {_quoted(schema, name)} using delta location {location}")
    return [f"{schema}.{name}" for name in sorted(tables)]


# once per process: a power failure ends it too, and a resident run would check many commits
@cache
def _check_logs(root: Path) -> None:
    for schema in root.glob("*.db"):
        for name, directory in _tables(schema).items():
            with os.scandir(directory / LOG) as entries:
                if any(one.name.endswith(".json") and not one.stat().st_size for one in entries):
                    raise UserError(damage(f"{schema.stem}.{name}", directory))


def damage(name: str, directory: Path) -> str:
    """Return what to say of a table whose log is damaged."""
    return (
        f"the log of {name} is damaged: restore the directory {directory}, or remove it, and the"
        " next run rebuilds the table"
    )


def _catalog(spark: Any) -> Any:
    return java_session(spark).sharedState().externalCatalog()


def _is_lost(entry: Any) -> bool:
    """Say whether a catalog's entry is of a table whose directory is gone."""
    if str(entry.tableType().name()) == "VIEW":
        return False
    place = urlsplit(str(entry.location().toString()))
    return place.scheme in ("", "file") and not Path(unquote(place.path)).exists()


def damaged_tables(spark: Any) -> dict[str, Path]:
    """Return the tables whose log cannot be read, by name, with their directories."""
    found: dict[str, Path] = {}
    for place in _schemas(spark):
        for name, directory in sorted(_tables(place).items()):
            try:
                # the log as it is now, not as this session has read it
                java_packages(spark).org.apache.spark.sql.delta.DeltaLog.clearCache()
                spark.sql(f"describe detail delta.{sql_name(str(directory))}").collect()
            except (Py4JJavaError, PySparkException):
                found[f"{place.stem}.{name}"] = directory
    return found


def warehouse(spark: Any) -> Path:
    """Return the directory of the embedded catalog's schemas."""
    text = str(spark.conf.get("spark.sql.warehouse.dir"))
    # Spark says it as a URL in which nothing is encoded, as local_path() reads it
    place = settings.local_path(text)
    if place is None:
        raise UserError(
            f"spark.sql.warehouse.dir={text} is not a local directory: set it to one in the profile"
        )
    return place


def _schemas(spark: Any) -> list[Path]:
    return sorted(warehouse(spark).glob("*.db"))


def _tables(schema: Path) -> dict[str, Path]:
    """Return the directories of a schema's tables, by name: those with a commit."""
    return {
        one.name: one
        for one in schema.iterdir()
        if any((one / LOG).glob("*.json")) or any((one / LOG).glob("*.parquet"))
    }


def _has_later_commit(table: Path) -> bool:
    return any(version_of(one.name) for one in (table / LOG).glob("[0-9]*"))


def _quoted(schema: str, name: str) -> str:
    return f"{sql_name(schema)}.{sql_name(name)}"
