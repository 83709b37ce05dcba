"""The bronze tables: one Delta table per format, by path, without a catalog."""

import contextlib
import json
import uuid
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.core import settings
from changelake.core.errors import RESTORE, UserError, java_message
from changelake.core.feeds import FORMATS
from changelake.core.file_locks import locked
from changelake.core.macros import macro_text
from changelake.core.quoting import sql_name
from changelake.spark.delta import LOG, commit_file, delta_snapshot
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# of Java's own message in an error
SHOWN_CHARACTERS = 300
# A build counts the messages of up to so many new commits.
MAX_COMMITS = 20
FIRST_ENTRY = commit_file(0)


def ensure_bronze(spark: "SparkSession", root: str | None = None) -> list[str]:
    """Create the bronze tables that are missing, one for each format.

    A table that has lost its log is left alone: keep_changes() reports it.

    Args:
        spark: the session.
        root: the lake's place, by default CHANGELAKE_HOME.

    Returns:
        The formats whose tables were created.
    """
    files = HadoopFiles(spark, settings.location("bronze", root=root))
    if not files.is_local:
        return _make_missing(spark, files, root)
    # Two processes that create a table would overwrite each other's first commit and its rows. In a
    # store, the landing holds the lake's lease.
    with locked("bronze", ".lock", root=root):
        return _make_missing(spark, files, root)


def _make_missing(spark: "SparkSession", files: HadoopFiles, root: str | None) -> list[str]:
    # A kill during the creation leaves an empty log.
    missing = [
        format_id
        for format_id in FORMATS
        if not _has_log(files, format_id) and not _has_data(files, format_id)
    ]
    if not missing:
        return []
    # Spark takes an empty log for a table, and `if not exists` would create none.
    files.delete(missing[0], LOG)
    _create(spark, settings.bronze(missing[0], root))
    text = files.read_text(missing[0], FIRST_ENTRY)
    assert text is not None
    # The others get a copy of its first commit with an identity of their own, in a tenth of the
    # time that statements take. Builds create these tables too, without the lock.
    for format_id in missing[1:]:
        files.write_new_text(_with_new_identity(text), format_id, FIRST_ENTRY)
    return missing


def _has_log(files: HadoopFiles, format_id: str) -> bool:
    return any(name.endswith((".json", ".parquet")) for name in files.names(format_id, LOG))


def _has_data(files: HadoopFiles, format_id: str) -> bool:
    return any(name != LOG for name in files.names(format_id))


def _with_new_identity(entry: str) -> str:
    lines = [json.loads(line) for line in entry.splitlines() if line.strip()]
    for line in lines:
        if "metaData" in line:
            line["metaData"]["id"] = str(uuid.uuid4())
        if "commitInfo" in line:
            line["commitInfo"]["txnId"] = str(uuid.uuid4())
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _create(spark: "SparkSession", path: str) -> None:
    columns, properties = (
        macro_text("bronze", f"bronze_{one}") for one in ("columns", "properties")
    )
    spark.sql(
        f"create table if not exists delta.{sql_name(path)} ({columns}) using delta "
        f"partitioned by (landed_date) tblproperties ({properties})"
    )


def last_batch(
    spark: "SparkSession", format_id: str, query: str, root: str | None = None
) -> int | None:
    """Return a streaming query's last batch in a bronze table, None if it has none there.

    Args:
        spark: the session.
        format_id: the table's format.
        query: the query's identity, which its checkpoint keeps.
        root: the lake's place, by default CHANGELAKE_HOME.

    Raises:
        UserError: the table cannot be read.
    """
    with _reading(format_id):
        snapshot = _snapshot(spark, format_id, root)
        # Delta takes an empty commit file, as a power failure leaves it, for a commit without rows.
        entries = snapshot.logSegment().deltas()
        for number in range(entries.size()):
            if entries.apply(number).getLen() == 0:
                raise ValueError(f"{entries.apply(number).getPath().getName()} is empty")
        batch = snapshot.transactions().get(query)
        return int(batch.get()) if batch.isDefined() else None


def keep_changes(spark: "SparkSession", format_id: str, root: str | None = None) -> None:
    """Turn on the change data feed of a table from an earlier version of the project.

    The caller holds the format's lock: Delta refuses what others append meanwhile. The caller has
    also created missing tables, so a table without a version has lost its log.

    Args:
        spark: the session.
        format_id: the table's format.
        root: the lake's place, by default CHANGELAKE_HOME.

    Raises:
        UserError: the table has lost its log, or cannot be read.
    """
    with _reading(format_id):
        snapshot = _snapshot(spark, format_id, root)
        if int(snapshot.version()) < 0:
            raise UserError(
                f"bronze/{format_id} has data, but Delta's log of it is lost: {RESTORE}"
            )
        properties = snapshot.metadata().configuration()
        if properties.contains("delta.enableChangeDataFeed"):
            return
        # tells builds from which version on there are changes
        spark.sql(
            f"alter table delta.{sql_name(settings.bronze(format_id, root))} set tblproperties ("
            "'delta.enableChangeDataFeed' = 'true',"
            f" 'changelake_changes_since' = '{snapshot.version()}')"
        )


def _snapshot(spark: "SparkSession", format_id: str, root: str | None) -> Any:
    return delta_snapshot(spark, settings.bronze(format_id, root))


def bronze_version(spark: "SparkSession", format_id: str, root: str | None = None) -> int:
    """Return the version of a bronze table, which each commit increases; -1 if there is no table.

    Args:
        spark: the session.
        format_id: the table's format.
        root: the lake's place, by default CHANGELAKE_HOME.

    Raises:
        UserError: the table cannot be read.
    """
    with _reading(format_id):
        return int(_snapshot(spark, format_id, root).version())


def is_untouched(spark: "SparkSession", format_id: str, root: str | None = None) -> bool:
    """Say whether a bronze table has never had a row.

    Args:
        spark: the session.
        format_id: the table's format.
        root: the lake's place, by default CHANGELAKE_HOME.

    Raises:
        UserError: the table cannot be read.
    """
    if bronze_version(spark, format_id, root) != 0:
        return False
    files = HadoopFiles(spark, settings.location("bronze", root=root))
    entry = files.read_text(format_id, FIRST_ENTRY) or ""
    return not any("add" in json.loads(line) for line in entry.splitlines())


def landed_between(
    spark: "SparkSession", format_id: str, version: int, newest: int, root: str | None = None
) -> int | None:
    """Return how many messages came into a bronze table between two versions, None if unknown.

    Args:
        spark: the session.
        format_id: the table's format.
        version: an earlier version, as bronze_version() gave it.
        newest: a later one.
        root: the lake's place, by default CHANGELAKE_HOME.
    """
    if not version <= newest <= version + MAX_COMMITS:
        return None
    landed = 0
    # a Spark statement would cost more than the answer saves
    files = HadoopFiles(spark, settings.bronze(format_id, root))
    with _reading(format_id):
        for commit in range(version + 1, newest + 1):
            if (text := files.read_text(commit_file(commit))) is None:
                return None
            for line in text.splitlines():
                added = json.loads(line).get("add")
                # compaction rewrites rows of earlier commits
                if added and added["dataChange"]:
                    records = json.loads(added.get("stats") or "{}").get("numRecords")
                    if records is None:
                        return None
                    landed += int(records)
    return landed


def table_id(spark: "SparkSession", format_id: str, root: str | None = None) -> str:
    """Return the identity of a bronze table, which changes when the table is recreated."""
    path = settings.bronze(format_id, root)
    # It is in the first commit, which Delta removes after a month or so.
    with _reading(format_id):
        first = HadoopFiles(spark, path).read_text(FIRST_ENTRY) or ""
        for line in first.splitlines():
            if metadata := json.loads(line).get("metaData"):
                return str(metadata["id"])
        return str(_snapshot(spark, format_id, root).metadata().id())


@contextlib.contextmanager
def _reading(format_id: str) -> Generator[None]:
    try:
        yield
    except (Py4JJavaError, PySparkException, ValueError) as error:
        raise UserError(
            f"bronze/{format_id} cannot be read ({java_message(error)[:SHOWN_CHARACTERS]}): where "
            f"Delta's log of it is damaged, {RESTORE}"
        ) from None
