"""The compiled text of each format's parser, for tests that run or explain it."""

import re
from pathlib import Path
from typing import Any

from changelake.build.dbt import Build
from changelake.core import settings
from changelake.landing.registry import TABLE, kept_text
from connect_avro import Registry
from contract_messages import REGISTRY

SOURCE = re.compile(r"\bfrom\s+`?bronze`?\.`?(\w+)`?(?: version as of \d+)?", re.IGNORECASE)
REGISTRY_FEED = ("registry", "registry", "debezium_avro")


def know_schemas(spark: Any, registry: Registry) -> None:
    """Write schemas to the table in which landing keeps those from a registry."""
    path = settings.bronze(TABLE)
    rows = [(registry.header(text).hex().upper(), kept_text(text)) for text in registry.texts]
    frame = spark.createDataFrame(rows, "header string, schema string").selectExpr(
        "header", "0L as schema_id", "'' as registry", "schema", "current_timestamp() as read_at"
    )
    if (Path(path) / "_delta_log").exists():
        # Tests of landing may have created the table already, so only add rows.
        frame = frame.join(spark.read.format("delta").load(path), "header", "left_anti")
    frame.write.format("delta").mode("append").save(path)
    spark.sql("create schema if not exists bronze")
    spark.sql(f"create table if not exists bronze.{TABLE} using delta location '{path}'")


def compiled_parsers(spark: Any, project: Path) -> dict[str, str]:
    """Return the SQL of each format's events model, as for a first run on bronze."""
    build = Build(spark, "local", lambda node: None)
    seeds = [file.stem for file in (project / "seeds").glob("*.csv")]
    if not all(spark.catalog.tableExists(f"silver.{one}") for one in seeds):
        build.invoke("seed", "--exclude", "path:seeds/samples")
    know_schemas(spark, REGISTRY)
    # Without a feed of its format, no schemas are read. In the seed, each build would build it too.
    spark.sql(f"insert into silver.feeds (feed, topics, format) values {REGISTRY_FEED}")
    result = build.invoke("compile", "--full-refresh", "--select", "path:models/silver,*_events")
    spark.sql(f"delete from silver.feeds where feed = '{REGISTRY_FEED[0]}'")
    assert not result.failed
    folder = project / "target" / "compiled" / "changelake" / "models" / "silver"
    return {
        file.stem.removesuffix("_events"): file.read_text()
        for file in folder.glob("*/*_events.sql")
    }


def parsed(spark: Any, parser: str, messages: list[tuple[int, Any, Any]]) -> Any:
    """Return the rows that a parser makes of messages, given as offset, key and value in bytes."""
    frame = spark.createDataFrame(messages, "kafka_offset bigint, key binary, value binary")
    frame.selectExpr(
        "'f' as feed", "'t' as kafka_topic", "0 as kafka_partition", "kafka_offset",
        "timestamp'2026-03-01' as kafka_timestamp",
        "cast(null as array<struct<key: string, value: binary>>) as headers", "key", "value",
        "timestamp'2026-03-01' as landed_at", "date'2026-03-01' as landed_date",
    ).createOrReplaceTempView("parsed_messages")  # fmt: skip
    text, count = SOURCE.subn("from parsed_messages", parser)
    assert count == 1
    return spark.sql(text)
