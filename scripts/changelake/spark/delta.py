"""What Delta itself says of a table."""

from typing import Any


def delta_snapshot(spark: Any, path: str) -> Any:
    """Return Delta's newest snapshot of the table at a path, of version -1 where there is none."""
    jvm = spark.sparkContext._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, path)
    none = jvm.scala.Option.empty()
    return log.update(False, none, none)
