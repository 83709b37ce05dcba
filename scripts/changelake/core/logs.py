"""Where Spark logs."""

import contextlib
import functools
import os
import stat
import tempfile
from pathlib import Path

from changelake.core import settings


def under_spark_submit() -> bool:
    """Say whether spark-submit started this process, so that its JVM is there already."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def log_file() -> Path:
    """Return Java's log: in the lake, or in a directory of this user if the lake is in a store."""
    return (settings.local_path(settings.location("spark")) or _own_directory()) / "spark.log"


def log_hint() -> str:
    """Return where to look for more than an error's line says."""
    return "see Spark's log" if under_spark_submit() else f"see {log_file()}"


@functools.cache
def _own_directory() -> Path:
    # shared by all processes, each of which would leave one behind
    own = Path(tempfile.gettempdir()) / f"changelake-{os.getuid()}"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
            return own
    # another user has taken that name
    return Path(tempfile.mkdtemp(prefix="changelake-"))
