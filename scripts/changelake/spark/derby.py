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

from changelake.core import settings
from changelake.core.errors import UserError, is_catalog_taken
from changelake.core.file_locks import locked
from changelake.spark.jvm import java_packages
from changelake.spark.serving import check_not_served

T = TypeVar("T")

DERBY_URL = "spark.hadoop.javax.jdo.option.ConnectionURL"
CATALOG_WAIT_SECONDS = 600.0
RETRY_SECONDS = 0.25
# A command that has just ended takes a moment to release it: so short a wait is not reported.
SILENT_SECONDS = 3.0


def derby_directory(confs: dict[str, str]) -> Path | None:
    """Return the directory of the catalog's Derby database, None if the catalog is not Derby's."""
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
    """Waits in steps, reports once that it does, and raises when the time is up."""

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


def wait_for_derby(
    confs: dict[str, str], seconds: float, check: Callable[[], None] | None = None
) -> None:
    """Wait until no other process has the catalog open.

    Called before Java starts: waiting then costs nothing, and no Hive client has to be recreated.

    Args:
        confs: the session's configuration.
        seconds: how long to wait.
        check: raises if waiting is of no use; called before each look.

    Raises:
        UserError: the time is up.
    """
    directory = derby_directory(confs)
    patience = _Patience(seconds)
    while directory and derby_is_taken(directory):
        if check:
            check()
        patience.wait()


@contextlib.contextmanager
def made_by_one(directory: Path | None) -> Generator[None]:
    """Inside the context no other process makes a database that is not there yet.

    Derby reports one that another process is making as broken, and no lock of it shows that.

    Args:
        directory: the database's, None if there is none to make.
    """
    if directory is None or (directory / "service.properties").exists():
        yield
    else:
        with locked(f".{directory.name}.lock", root=directory.parent):
            yield


def with_catalog(
    action: Callable[[], T],
    seconds: float = CATALOG_WAIT_SECONDS,
    check: Callable[[], None] | None = None,
) -> T:
    """Run an action on the catalog, and retry while another process has the catalog open.

    Args:
        action: what to do; its result is returned.
        seconds: how long to retry.
        check: raises if that is of no use.

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
            if check:
                check()
            patience.wait()


def open_catalog(spark: Any) -> None:
    """Open the catalog before Hive does.

    While another process has it, Hive retries for seconds and then reports that no schema exists.

    Args:
        spark: the session.

    Raises:
        Py4JJavaError: another process has it, see is_catalog_taken(), or it is damaged.
    """
    if database := _database(spark):
        _connect(spark, f"{database};create=true").close()


def release_catalog(spark: Any) -> None:
    """Let other processes have the catalog, until this one uses it again."""
    if database := _database(spark):
        # Derby reports a shutdown as an error
        with contextlib.suppress(Py4JJavaError):
            _connect(spark, f"{database};shutdown=true")


@contextlib.contextmanager
def hold_catalog(spark: Any, seconds: float = CATALOG_WAIT_SECONDS) -> Generator[None]:
    """Hold the catalog inside the context, and release it afterwards.

    Args:
        spark: the session.
        seconds: how long to wait for another process that has it.

    Raises:
        UserError: the time is up, or a process serves the lake.
    """
    directory = derby_directory({DERBY_URL: _database(spark)})
    is_of_lake = directory is not None and directory.parent == settings.home()
    check = check_not_served if is_of_lake else None
    with_catalog(lambda: open_catalog(spark), seconds, check)
    try:
        yield
    finally:
        release_catalog(spark)


def _database(spark: Any) -> str:
    """Return the URL of a session's Derby database, empty if its catalog is not Derby's."""
    url = str(spark.sparkContext.getConf().get(DERBY_URL, ""))
    directory = derby_directory({DERBY_URL: url})
    return f"jdbc:derby:;databaseName={directory}" if directory else ""


def _connect(spark: Any, url: str) -> Any:
    return java_packages(spark).java.sql.DriverManager.getConnection(url)
