"""What tells that a run has nothing to do, so that it need not look at every table."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core import settings
from changelake.landing.bronze import BronzeTable
from changelake.landing.registry import REGISTRY_FORMATS, TABLE
from changelake.spark.catalog import relation_names, warehouse
from changelake.spark.delta import delta_snapshot
from changelake.spark.sql_session import SqlSession

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What a build depends on besides data; the samples are not part of a lake.
PROJECT = (
    "dbt_project.yml", "macros", "models", "seeds", "snapshots", "tests/generic", "tests/singular",
)  # fmt: skip
# the schemas that a build writes to
BUILT_SCHEMAS = ("silver", "state", "current", "history")


def checksum_of(*parts: str, leave_out: Path | None = None) -> str:
    """Return a checksum of files of the project, apart from samples.

    Args:
        parts: the files, and folders for all files in them.
        leave_out: one that does not count.
    """
    digest = hashlib.sha256()
    for part in parts:
        place = settings.REPO / part
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            path = file.relative_to(settings.REPO)
            if file.is_file() and file != leave_out and "samples" not in path.parts:
                digest.update(f"{path}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def inputs(spark: "SparkSession", formats: Iterable[str]) -> dict[str, Any]:
    """Return the inputs of a build: the versions of bronze, and a checksum of the project.

    Taken before a build, since the build does not see what lands meanwhile.

    Args:
        spark: the session.
        formats: the formats in use.
    """
    versions = {one: BronzeTable(spark, one).version() for one in sorted(set(formats))}
    # a new schema makes older messages readable
    schemas = BronzeTable(spark, TABLE).version() if set(formats) & set(REGISTRY_FORMATS) else -1
    return {"bronze": versions, "schemas": schemas, "project": checksum_of(*PROJECT)}


def changed_formats(last: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """Return the formats that have something to build.

    Args:
        last: inputs and outputs of the last build that left nothing to do, see Marks.idle().
        now: the present ones, see inputs() and outputs().
    """
    formats = set[str](now["bronze"])
    if last.get("project") != now["project"]:
        return formats
    pending = set(REGISTRY_FORMATS) if last.get("schemas") != now.get("schemas") else set[str]()
    for part in ("bronze", "events"):
        then, there = last.get(part, {}), now.get(part, {})
        pending |= {one for one in there if one not in then or then[one] != there[one]}
    return formats & pending


def outputs(
    spark: "SparkSession | None", lake: SqlSession, formats: Iterable[str]
) -> dict[str, Any]:
    """Return what a build leaves: relations, and the versions of the tables of events.

    They show that a relation was dropped, or that events were rebuilt by hand, so that their tables
    have to be built again. A Thrift server does not tell the versions.

    Args:
        spark: the embedded session; None on a cluster.
        lake: what is built, on a cluster a Thrift server's.
        formats: the formats in use.
    """
    if spark is None:
        return {"relations": sorted(map(".".join, lake.catalog.relations(BUILT_SCHEMAS)))}
    relations = sorted(map(".".join, relation_names(spark, BUILT_SCHEMAS)))
    return {"relations": relations, "events": event_versions(spark, formats)}


def event_versions(spark: "SparkSession", formats: Iterable[str]) -> dict[str, int | None]:
    """Return the versions of the tables of events, None of one that is not there.

    Args:
        spark: the session.
        formats: the formats in use.
    """
    silver = warehouse(spark) / "silver.db"
    return {one: _version(spark, str(silver / f"{one}_events")) for one in sorted(set(formats))}


def _version(spark: "SparkSession", path: str) -> int | None:
    # a damaged table is not as a run has left it
    try:
        return int(delta_snapshot(spark, path).version())
    except (Py4JJavaError, PySparkException):
        return None
