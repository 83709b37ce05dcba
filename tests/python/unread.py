"""The landed and the parsed messages of a format that one test module has for itself."""

import datetime
import json
import os
import time
from pathlib import Path
from typing import Any

from bronze_rows import append_to_bronze, bronze_row
from changelake.build.dbt import Build
from changelake.landing.bronze import BronzeTable, ensure_bronze

NOW = datetime.datetime(2026, 3, 1, 8)
Places = list[tuple[str, int, int]]


class Unread:
    """Bronze and events of a format that no other test in this process lands.

    Args:
        spark: the session.
        project: the copy of the project.
        format_id: the format.
        feed: the feed of all messages.

    Attributes:
        bronze: its bronze table.
    """

    def __init__(self, spark: Any, project: Path, format_id: str, feed: str) -> None:
        ensure_bronze(spark)
        if not spark.catalog.tableExists("silver.operation_codes"):
            Build(spark, "local", lambda node: None).invoke("seed", "--select", "operation_codes")
        self.spark, self.project, self.format, self.feed = spark, project, format_id, feed
        self.bronze = BronzeTable(spark, format_id)
        self.landed: Places = []

    def land(
        self, *places: tuple[str, int, range], at: datetime.datetime = NOW, files: int = 1
    ) -> None:
        """Land tombstones, given by topic, partition and offsets."""
        new = [(topic, number, offset) for topic, number, offsets in places for offset in offsets]
        self.landed += new
        rows = [bronze_row(self.feed, *place, at, None) for place in new]
        append_to_bronze(self.spark, self.format, rows, files)

    def build(self) -> None:
        """Parse what has landed."""
        built = Build(self.spark, "local", lambda node: None).invoke(
            "run", "--select", f"{self.format}_events"
        )
        assert [(node.name, node.message) for node in built.failed] == []

    def parsed(self) -> Places:
        """Return the topics, partitions and offsets of the parsed messages, sorted."""
        rows = self.spark.sql(
            "select kafka_topic, kafka_partition, kafka_offset"
            f" from silver.{self.format}_events where feed = '{self.feed}'"
        )
        return sorted(tuple(row) for row in rows.collect())

    def compiled(self) -> str:
        """Return the query whose result a run would append."""
        built = Build(self.spark, "local", lambda node: None).invoke(
            "compile", "--select", f"{self.format}_events"
        )
        assert not built.failed
        folder = self.project / "target" / "compiled" / "changelake" / "models" / "silver"
        return (folder / self.format / f"{self.format}_events.sql").read_text()

    def data_files(self) -> list[Path]:
        """Return the bronze files on disk, including replaced ones."""
        found = Path(self.bronze.path).rglob("*.parquet")
        return [file for file in found if "_delta_log" not in file.parts]

    def age(self, seconds: float) -> None:
        """Make Delta believe that all commits were made this long ago."""
        then = time.time() - seconds
        log = Path(self.bronze.path) / "_delta_log"
        for commit in log.glob("*.json"):
            lines = [json.loads(line) for line in commit.read_text().splitlines()]
            for line in lines:
                if "remove" in line:
                    line["remove"]["deletionTimestamp"] = int(then * 1000)
            commit.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for file in log.glob("*checkpoint*"):
            file.unlink()
        for file in [*self.data_files(), *log.iterdir()]:
            os.utime(file, (then, then))
        self.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
