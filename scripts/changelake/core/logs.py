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
    """Return where Spark's Java logs: in the lake, or in a directory of this user's for a URL."""
    return (settings.local_path(settings.location("spark")) or _own_directory()) / "spark.log"


def log_hint() -> str:
    """Return where to look for more than an error's line says."""
    return "see Spark's log" if under_spark_submit() else f"see {log_file()}"


@functools.cache
def _own_directory() -> Path:
    # one for all processes, which would leave one each
    own = Path(tempfile.gettempdir()) / f"changelake-{os.getuid()}"
    with contextlib.suppress(OSError):
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
            return own
    # somebody else's has that name
    return Path(tempfile.mkdtemp(prefix="changelake-"))
