"""The bronze tables: one Delta table a format, by path, without a catalog."""

import json
import uuid
from typing import Any

from changelake import settings
from changelake.feeds import FORMATS
from changelake.hadoop_files import HadoopFiles
from changelake.quoting import sql_name

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
    files = HadoopFiles(spark, settings.location("bronze", root=root))
    # A kill while the table was made leaves an empty log.
    missing = [
        format_id
        for format_id in FORMATS
        if not any(
            name.endswith((".json", ".parquet")) for name in files.names(format_id, "_delta_log")
        )
    ]
    if not missing:
        return []
    _create(spark, settings.bronze(missing[0], root))
    text = files.read_text(missing[0], FIRST_ENTRY)
    assert text is not None
    # The others get its first log entry, with an identity of their own: as good as a statement
    # each, in a tenth of the time. A build makes them too, and asks for no lock.
    for format_id in missing[1:]:
        files.write_new_text(_with_new_identity(text), format_id, FIRST_ENTRY)
    return missing


def _with_new_identity(entry: str) -> str:
    lines = [json.loads(line) for line in entry.splitlines() if line.strip()]
    for line in lines:
        if "metaData" in line:
            line["metaData"]["id"] = str(uuid.uuid4())
        if "commitInfo" in line:
            line["commitInfo"]["txnId"] = str(uuid.uuid4())
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def _create(spark: Any, path: str) -> None:
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in PROPERTIES.items())
    spark.sql(
        f"create table if not exists delta.{sql_name(path)} ({SCHEMA}) using delta "
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
    # It stands in the log's first entry, which Delta removes after a month or so.
    first = HadoopFiles(spark, path).read_text(FIRST_ENTRY) or ""
    for line in first.splitlines():
        if metadata := json.loads(line).get("metaData"):
            return str(metadata["id"])
    return str(spark.sql(f"describe detail delta.{sql_name(path)}").select("id").first()[0])
