"""Where Spark logs."""

import functools
import os
import tempfile
from pathlib import Path

from changelake.core import settings


def under_spark_submit() -> bool:
    """Say whether spark-submit started this process, so that its JVM is there already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def log_file() -> Path:
    """Return where Spark's Java logs: in the lake, or in a directory of this process for a URL."""
    return (settings.local_path(settings.location("spark")) or _own_directory()) / "spark.log"


def log_hint() -> str:
    """Return where to look for more than an error's line says."""
    return "see Spark's log" if under_spark_submit() else f"see {log_file()}"


@functools.cache
def _own_directory() -> Path:
    return Path(tempfile.mkdtemp(prefix="changelake-"))
