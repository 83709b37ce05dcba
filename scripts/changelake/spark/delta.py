"""A Delta table's newest version, and the names of its log's files."""

from typing import Any

from changelake.spark.jvm import java_packages, java_session

# the folder of a table's log
LOG = "_delta_log"


def delta_snapshot(spark: Any, path: str) -> Any:
    """Return Delta's newest snapshot of the table at a path, of version -1 where there is none."""
    jvm = java_packages(spark)
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(java_session(spark), path)
    none = jvm.scala.Option.empty()
    return log.update(False, none, none)


def commit_file(version: int) -> str:
    """Return the path of a version's commit, below the table's directory.

    >>> commit_file(7)
    '_delta_log/00000000000000000007.json'
    """
    return f"{LOG}/{version:020d}.json"


def version_of(file_name: str) -> int:
    """Return the version that a file of a log belongs to, a commit or a checkpoint.

    >>> version_of("00000000000000000007.checkpoint.parquet")
    7
    """
    return int(file_name.partition(".")[0])
