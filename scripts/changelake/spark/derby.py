"""The database of the embedded catalog, Derby, which one process at a time has open."""

import contextlib
import fcntl
import re
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError

from changelake.core.errors import UserError, is_catalog_taken

T = TypeVar("T")

DERBY_URL = "spark.hadoop.javax.jdo.option.ConnectionURL"
CATALOG_WAIT_SECONDS = 600.0
RETRY_SECONDS = 0.25
# The Java process of a command that has just ended needs a moment: not worth a word.
SILENT_SECONDS = 3.0


def derby_directory(confs: dict[str, str]) -> Path | None:
    """Return where the catalog's Derby database lies, None if the catalog is none of Derby's."""
    match = re.search(r"jdbc:derby:[^;]*;.*?databaseName=([^;]+)", confs.get(DERBY_URL, ""))
    return Path(match.group(1)) if match else None


def derby_is_taken(directory: Path) -> bool:
    """Say whether another process has the Derby database open, by the lock that it holds."""
    try:
        with (directory / "dbex.lck").open("r+b") as lock:
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
    except OSError:
        pass
    return False


class _Patience:
    """Says once that it waits, and ends the waiting when the time is up."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.until = time.monotonic() + seconds
        self.said = False

    def wait(self) -> None:
        if time.monotonic() >= self.until:
            raise UserError(
                f"the catalog is still in use by another process after {self.seconds:.0f} s: "
                "end that process, or try again later"
            )
        waited = self.seconds - (self.until - time.monotonic())
        if not self.said and waited >= SILENT_SECONDS:
            print("the catalog is in use by another process: waiting for it…", file=sys.stderr)
            self.said = True
        time.sleep(RETRY_SECONDS)


def wait_for_derby(confs: dict[str, str], seconds: float) -> None:
    """Wait until no other process has the catalog open.

    Before Java starts, so that waiting costs nothing and needs no Hive client to be built anew.

    Args:
        confs: the session's configuration.
        seconds: how long to wait.

    Raises:
        UserError: the time is up.
    """
    directory = derby_directory(confs)
    patience = _Patience(seconds)
    while directory and derby_is_taken(directory):
        patience.wait()


def with_catalog(action: Callable[[], T], seconds: float = CATALOG_WAIT_SECONDS) -> T:
    """Run an action on the catalog, again and again while another process has the catalog open.

    Args:
        action: what to do; its result is returned.
        seconds: how long to go on.

    Raises:
        UserError: the time is up.
    """
    patience = _Patience(seconds)
    while True:
        try:
            return action()
        except Exception as error:
            if not is_catalog_taken(error):
                raise
            patience.wait()


def open_catalog(spark: Any) -> None:
    """Open the catalog, before Hive does.

    While another process has it, Hive tries for seconds, and then says that there are no schemas.

    Args:
        spark: the session.

    Raises:
        Py4JJavaError: another process has it, see is_catalog_taken(), or it is damaged.
    """
    if database := _database(spark):
        _connect(spark, f"{database};create=true").close()


def release_catalog(spark: Any) -> None:
    """Let other processes have the catalog, until this one asks it something."""
    if database := _database(spark):
        # that it has been shut down is what Derby says as an error
        with contextlib.suppress(Py4JJavaError):
            _connect(spark, f"{database};shutdown=true")


@contextlib.contextmanager
def hold_catalog(spark: Any, seconds: float = CATALOG_WAIT_SECONDS) -> Generator[None]:
    """Have the catalog while the context lasts, and release it then.

    Args:
        spark: the session.
        seconds: how long to wait for another process that has it.

    Raises:
        UserError: the time is up.
    """
    with_catalog(lambda: open_catalog(spark), seconds)
    try:
        yield
    finally:
        release_catalog(spark)


def _database(spark: Any) -> str:
    """Return the URL of a session's Derby database, empty if its catalog is none of Derby's."""
    url = str(spark.sparkContext.getConf().get(DERBY_URL, ""))
    directory = derby_directory({DERBY_URL: url})
    return f"jdbc:derby:;databaseName={directory}" if directory else ""


def _connect(spark: Any, url: str) -> Any:
    return spark.sparkContext._jvm.java.sql.DriverManager.getConnection(url)
