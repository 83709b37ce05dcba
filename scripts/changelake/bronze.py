"""The bronze tables: one Delta table a format, by path, without a catalog."""

import json
import uuid
from typing import Any

from changelake import settings
from changelake.feeds import FORMATS

# The same text as macros/events/bronze_columns.sql, by which a build makes what is not there yet.
SCHEMA = """
feed string, kafka_topic string, kafka_partition int, kafka_offset bigint,
kafka_timestamp timestamp, headers array<struct<key: string, value: binary>>,
key binary, value binary,
landed_at timestamp, landed_date date
"""
FIRST_ENTRY = f"_delta_log/{0:020d}.json"
PROPERTIES = {
    "delta.appendOnly": "true",
    # Statistics of whole messages would cost much and skip nothing.
    "delta.dataSkippingStatsColumns": (
        "feed,kafka_topic,kafka_partition,kafka_offset,kafka_timestamp,landed_at"
    ),
}


def ensure_bronze(spark: Any, root: str | None = None) -> list[str]:
    """Make the bronze tables that are missing, one for each format.

    Args:
        spark: the session.
        root: the lake's place, by default CHANGELAKE_HOME.

    Returns:
        The formats whose tables were made.
    """
    # On a local file system a second first entry would replace the other process's, and its rows.
    with settings.locked("bronze", ".lock", root=root):
        return _make_missing(spark, root)


def _make_missing(spark: Any, root: str | None) -> list[str]:
    jvm = spark.sparkContext._jvm
    paths = jvm.org.apache.hadoop.fs.Path
    files = paths(settings.bronze(FORMATS[0], root)).getFileSystem(
        spark._jsparkSession.sessionState().newHadoopConf()
    )
    missing = []
    for format_id in FORMATS:
        log = paths(settings.bronze(format_id, root), "_delta_log")
        # A kill while the table was made leaves an empty log.
        if not files.exists(log) or not any(
            status.getPath().getName().endswith((".json", ".parquet"))
            for status in files.listStatus(log)
        ):
            missing.append(format_id)
    if not missing:
        return []
    first = settings.bronze(missing[0], root)
    _create(spark, first)
    text = _read(jvm, files, paths(first, FIRST_ENTRY))
    # The others get its first log entry, with an identity of their own: as good as a statement
    # each, in a tenth of the time.
    for format_id in missing[1:]:
        entry = _with_new_identity(text)
        path = settings.bronze(format_id, root)
        temporary = paths(path, "_delta_log/_first.tmp")
        stream = files.create(temporary, True)
        stream.write(bytearray(entry.encode()))
        stream.close()
        if files.exists(paths(path, FIRST_ENTRY)):
            # A build makes them too, and asks for no lock.
            files.delete(temporary, False)
        else:
            files.rename(temporary, paths(path, FIRST_ENTRY))
    return missing


def _with_new_identity(entry: str) -> str:
    lines = [json.loads(line) for line in entry.splitlines() if line.strip()]
    for line in lines:
        if "metaData" in line:
            line["metaData"]["id"] = str(uuid.uuid4())
        if "commitInfo" in line:
            line["commitInfo"]["txnId"] = str(uuid.uuid4())
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _read(jvm: Any, files: Any, path: Any) -> str:
    stream = files.open(path)
    try:
        return str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
    finally:
        stream.close()


def _create(spark: Any, path: str) -> None:
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in PROPERTIES.items())
    spark.sql(
        f"create table if not exists delta.`{path}` ({SCHEMA}) using delta "
        f"partitioned by (landed_date) tblproperties ({properties})"
    )


def last_batch(spark: Any, format_id: str, query: str, root: str | None = None) -> int | None:
    """Return the last batch of a streaming query in a bronze table, None if it has none there.

    Args:
        spark: the session.
        format_id: the table's format.
        query: the query's identity, which its checkpoint keeps.
        root: the lake's place, by default CHANGELAKE_HOME.
    """
    jvm = spark.sparkContext._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(
        spark._jsparkSession, settings.bronze(format_id, root)
    )
    none = jvm.scala.Option.empty()
    batch = log.update(False, none, none).transactions().get(query)
    return int(batch.get()) if batch.isDefined() else None


def table_id(spark: Any, format_id: str, root: str | None = None) -> str:
    """Return the identity of a bronze table, which changes when it is made anew."""
    path = settings.bronze(format_id, root)
    jvm = spark.sparkContext._jvm
    first = jvm.org.apache.hadoop.fs.Path(path, FIRST_ENTRY)
    files = first.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    # It stands in the log's first entry, which Delta removes after a month or so.
    if files.exists(first):
        text = _read(jvm, files, first)
        for line in text.splitlines():
            if metadata := json.loads(line).get("metaData"):
                return str(metadata["id"])
    return str(spark.sql(f"describe detail delta.`{path}`").select("id").first()[0])
