"""The bronze tables: one Delta table per format, by path, without a catalog."""

import contextlib
import functools
import json
import uuid
from collections.abc import Generator, Iterator
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
    from pyspark.sql import DataFrame, SparkSession

# of Java's own message in an error
SHOWN_CHARACTERS = 300
# A build counts the messages of up to so many new commits.
MAX_COMMITS = 20
FIRST_ENTRY = commit_file(0)


def ensure_bronze(spark: "SparkSession", root: str | None = None) -> list[str]:
    """Create the bronze tables that are missing, one for each format.

    A table that has lost its log is left alone: BronzeTable.keep_changes() reports it.

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


class BronzeTable:
    """A bronze table of a lake, which need not be there.

    Args:
        spark: the session.
        name: the table's: a format, or that of the registry's schemas.
        root: the lake's place, by default CHANGELAKE_HOME.

    Attributes:
        path: where it lies.

    Raises:
        UserError: in every method but rows(), when the table cannot be read.
    """

    def __init__(self, spark: "SparkSession", name: str, root: str | None = None) -> None:
        self.name = name
        self.path = settings.bronze(name, root)
        self._spark = spark

    def version(self) -> int:
        """Return its version, which each commit increases; -1 if there is no table."""
        with self._reading():
            return int(self._snapshot().version())

    def identity(self) -> str:
        """Return its identity, which changes when the table is recreated."""
        # It is in the first commit, which Delta removes after a month or so.
        with self._reading():
            for action in self._actions(0) or []:
                if metadata := action.get("metaData"):
                    return str(metadata["id"])
            return str(self._snapshot().metadata().id())

    def is_untouched(self) -> bool:
        """Say whether it has never had a row."""
        with self._reading():
            return self.version() == 0 and not any("add" in one for one in self._actions(0) or [])

    def last_batch(self, query: str) -> int | None:
        """Return a streaming query's last batch in the table, None if it has none there.

        Args:
            query: the query's identity, which its checkpoint keeps.
        """
        with self._reading():
            snapshot = self._snapshot()
            # Delta takes an empty commit file, as a power failure leaves it, for a commit that
            # adds no rows.
            entries = snapshot.logSegment().deltas()
            for number in range(entries.size()):
                if entries.apply(number).getLen() == 0:
                    raise ValueError(f"{entries.apply(number).getPath().getName()} is empty")
            batch = snapshot.transactions().get(query)
            return int(batch.get()) if batch.isDefined() else None

    def landed_between(self, version: int, newest: int) -> int | None:
        """Return how many messages came into the table between two versions, None if unknown.

        Args:
            version: an earlier version, as version() gave it.
            newest: a later one.
        """
        if not version <= newest <= version + MAX_COMMITS:
            return None
        landed = 0
        with self._reading():
            for commit in range(version + 1, newest + 1):
                if (actions := self._actions(commit)) is None:
                    return None
                for action in actions:
                    added = action.get("add")
                    # compaction rewrites rows of earlier commits
                    if added and added["dataChange"]:
                        records = json.loads(added.get("stats") or "{}").get("numRecords")
                        if records is None:
                            return None
                        landed += int(records)
        return landed

    def rows(self, **options: str | int) -> "DataFrame":
        """Return its rows.

        Args:
            options: Delta's, such as those of its change data feed.
        """
        return self._spark.read.format("delta").options(**options).load(self.path)

    def keep_changes(self) -> None:
        """Turn on the change data feed of a table from an earlier version of the project.

        The caller holds the format's lock: Delta refuses what others append meanwhile. The caller
        has also created missing tables, so a table without a version has lost its log.

        Raises:
            UserError: the table has lost its log, or cannot be read.
        """
        with self._reading():
            snapshot = self._snapshot()
            if int(snapshot.version()) < 0:
                raise UserError(
                    f"bronze/{self.name} has data, but Delta's log of it is lost: {RESTORE}"
                )
            properties = snapshot.metadata().configuration()
            if properties.contains("delta.enableChangeDataFeed"):
                return
            # tells builds from which version on there are changes
            self._spark.sql(
                f"alter table delta.{sql_name(self.path)} set tblproperties ("
                "'delta.enableChangeDataFeed' = 'true',"
                f" 'changelake_changes_since' = '{snapshot.version()}')"
            )

    def _snapshot(self) -> Any:
        return delta_snapshot(self._spark, self.path)

    def _actions(self, version: int) -> Iterator[dict[str, Any]] | None:
        # What a commit consists of, None if its file is not there. A Spark statement would cost
        # more than the answer saves.
        text = self._files.read_text(commit_file(version))
        return None if text is None else map(json.loads, text.splitlines())

    @functools.cached_property
    def _files(self) -> HadoopFiles:
        return HadoopFiles(self._spark, self.path)

    @contextlib.contextmanager
    def _reading(self) -> Generator[None]:
        try:
            yield
        except (Py4JJavaError, PySparkException, ValueError) as error:
            reason = java_message(error)[:SHOWN_CHARACTERS]
            raise UserError(
                f"bronze/{self.name} cannot be read ({reason}): where Delta's log of it is"
                f" damaged, {RESTORE}"
            ) from None
