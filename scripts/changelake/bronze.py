"""The bronze tables: one Delta table a format, by path, without a catalog."""

import json
from typing import Any

from changelake import settings
from changelake.feeds import FORMATS

SCHEMA = """
    feed string comment 'the feed that it was landed for',
    kafka_topic string,
    kafka_partition int,
    kafka_offset bigint,
    kafka_timestamp timestamp comment 'as Kafka has it: when created, or appended',
    headers array<struct<key: string, value: binary>>,
    key binary comment 'the bytes of the key',
    value binary comment 'the bytes of the value; null: a tombstone',
    landed_at timestamp comment 'when the batch that landed it began',
    landed_date date comment 'the day of landed_at in UTC'
"""
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
    jvm = spark.sparkContext._jvm
    configuration = spark._jsparkSession.sessionState().newHadoopConf()
    made = []
    for format_id in FORMATS:
        path = settings.bronze(format_id, root)
        log = jvm.org.apache.hadoop.fs.Path(path, "_delta_log")
        files = log.getFileSystem(configuration)
        # A kill while the table was made leaves an empty log.
        if files.exists(log) and any(
            status.getPath().getName().endswith((".json", ".parquet"))
            for status in files.listStatus(log)
        ):
            continue
        _create(spark, path)
        made.append(format_id)
    return made


def _create(spark: Any, path: str) -> None:
    properties = ", ".join(f"'{key}' = '{value}'" for key, value in PROPERTIES.items())
    spark.sql(
        f"create table if not exists delta.`{path}` ({SCHEMA}) using delta "
        f"partitioned by (landed_date) tblproperties ({properties})"
    )


def table_id(spark: Any, format_id: str, root: str | None = None) -> str:
    """Return the identity of a bronze table, which changes when it is made anew."""
    path = settings.bronze(format_id, root)
    jvm = spark.sparkContext._jvm
    first = jvm.org.apache.hadoop.fs.Path(path, f"_delta_log/{0:020d}.json")
    files = first.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf())
    # The log's first entry has it and costs no job; Delta removes that entry after a month or so.
    if files.exists(first):
        stream = files.open(first)
        text = str(jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        stream.close()
        for line in text.splitlines():
            if metadata := json.loads(line).get("metaData"):
                return str(metadata["id"])
    return str(spark.sql(f"describe detail delta.`{path}`").select("id").first()[0])
