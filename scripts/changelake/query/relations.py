"""The relations of a lake, with rows and freshness by Delta's logs."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS
from changelake.query import rows
from changelake.spark.catalog import relation_names, warehouse
from changelake.spark.delta import LOG, version_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = ["schema", "relation", "stored_rows", "newest_commit"]
# the schemas of a person's own models come after these
SHOWN_SCHEMAS = ("bronze", "silver", "state", "current", "history", "monitoring")
# an empty view stands in for the events of a format without a feed
EVENTS = {("silver", f"{one}_events") for one in FORMATS}


class _File(NamedTuple):
    """A data file: its rows, without those that a deletion vector removes, and its bytes."""

    rows: int
    bytes: int


@dataclass
class _Log:
    """What a table's log says: its files, by path and deletion vector."""

    files: dict[tuple[str, str], _File] = field(default_factory=dict[tuple[str, str], _File])
    newest_commit: int = 0
    """in milliseconds since 1970"""


@dataclass
class TableSize:
    """How large a table is, by its log.

    Attributes:
        newest_commit: when something was last written into it.
    """

    schema_name: str
    table_name: str
    stored_rows: int
    bytes: int
    files: int
    newest_commit: datetime


def table_sizes(spark: "SparkSession") -> list[TableSize]:
    """Return how large each table of a lake is, without reading data."""
    names = relation_names(spark, ("bronze", "silver", "state"))
    logs = _logs(spark, names)
    return [
        TableSize(
            *name,
            sum(file.rows for file in log.files.values()),
            sum(file.bytes for file in log.files.values()),
            len(log.files),
            _moment(log),
        )
        for name, log in logs.items()
    ]


def lake_tables(
    spark: "SparkSession", names: list[tuple[str, str]]
) -> tuple[list[str], Iterator[str]]:
    """Return the columns, and the rows as JSON objects, of a list of what a lake holds.

    A current or history view has what its state table has, deleted rows included: only a scan could
    tell them apart. Other views have no rows of their own. The events of formats without a feed are
    left out.

    Args:
        spark: a session, which need not have the catalog.
        names: schema and name of each relation.
    """
    logs = _logs(spark, names)
    names = [name for name in names if name in logs or name not in EVENTS]

    def line(name: tuple[str, str]) -> str:
        values: list[Any] = [*name, None, None]
        if log := logs.get(name):
            values[2] = rows.Number(str(sum(file.rows for file in log.files.values())))
            values[3] = _moment(log).isoformat(timespec="seconds").replace("+00:00", "Z")
        pairs = zip(COLUMNS, values, strict=True)
        return "{" + ",".join(f"{rows.dump(key)}:{rows.dump(value)}" for key, value in pairs) + "}"

    return COLUMNS, (line(name) for name in names)


def _logs(spark: Any, names: Iterable[tuple[str, str]]) -> dict[tuple[str, str], _Log]:
    """Return what is in those relations that are tables, or the view of a state table."""
    root = warehouse(spark)
    places = {name: _place(root, *name) for name in names}
    logs = _read_logs(spark, {place for place in places.values() if (place / LOG).is_dir()})
    return {name: logs[place] for name, place in places.items() if place in logs}


def _moment(log: _Log) -> datetime:
    return datetime.fromtimestamp(log.newest_commit / 1000, timezone.utc)


def _place(warehouse: Path, schema: str, name: str) -> Path:
    """Return the directory of a table, for a current or history view that of its state table.

    A snapshot of dbt's is a table, which may stand among the history views.
    """
    if schema == "bronze":
        return Path(settings.bronze(name))
    own = warehouse / f"{schema}.db" / name
    state = {"current": name, "history": f"{name}__history"}
    if schema not in state or (own / LOG).is_dir():
        return own
    return warehouse / "state.db" / state[schema]


def _read_logs(spark: "SparkSession", places: Iterable[Path]) -> dict[Path, _Log]:
    # Python reads the commits, which are many small files, and Spark all checkpoints at once.
    logs = {place: _Log() for place in places}
    begun: dict[Path, int] = {}
    checkpoints: list[str] = []
    for place in logs:
        found = list((place / LOG).glob("[0-9]*.checkpoint*.parquet"))
        begun[place] = max((version_of(file.name) for file in found), default=-1)
        checkpoints += [str(file) for file in found if version_of(file.name) == begun[place]]
    if checkpoints:
        kept = spark.read.parquet(*checkpoints).where("add is not null").selectExpr(
            "input_file_name()", "add.path", "add.stats", "add.size",
            "add.deletionVector.cardinality", "add.deletionVector.storageType",
            "add.deletionVector.pathOrInlineDv", "add.deletionVector.offset",
        )  # fmt: skip
        for file, path, stats, size, deleted, *vector in cast(
            list[tuple[Any, ...]], kept.collect()
        ):
            place = Path(unquote(urlsplit(str(file)).path)).parents[1]
            logs[place].files[path, str(vector)] = _File(_rows(stats, deleted), size)
    for place, log in logs.items():
        commits = (one for one in (place / LOG).glob("*.json") if re.fullmatch(r"\d+", one.stem))
        for file in sorted(commits):
            if version_of(file.name) >= begun[place]:
                _replay(file, log)
    return logs


def _replay(commit: Path, log: _Log) -> None:
    try:
        lines = commit.read_text(encoding="utf-8").splitlines()
        actions = [json.loads(line) for line in lines if line]
    except ValueError:
        raise UserError(f"{commit} is damaged: restore it from a backup") from None
    for action in actions:
        if info := action.get("commitInfo"):
            log.newest_commit = max(log.newest_commit, info.get("timestamp", 0))
        # a commit that deletes some rows of a file removes the file and adds it again
        if removed := action.get("remove"):
            log.files.pop((removed["path"], _vector(removed)), None)
    for action in actions:
        if added := action.get("add"):
            vector: dict[str, Any] = added.get("deletionVector") or {}
            deleted = vector.get("cardinality")
            count = _rows(added.get("stats"), deleted)
            log.files[added["path"], _vector(added)] = _File(count, added["size"])


def _vector(file: dict[str, Any]) -> str:
    vector: dict[str, Any] = file.get("deletionVector") or {}
    return str([vector.get(name) for name in ("storageType", "pathOrInlineDv", "offset")])


def _rows(stats: str | None, deleted: int | None) -> int:
    return int(json.loads(stats or "{}").get("numRecords", 0)) - (deleted or 0)
