"""Locks on files of a local lake."""

import contextlib
import fcntl
from collections.abc import Generator
from pathlib import Path

from changelake.core.errors import UserError
from changelake.core.settings import HOME_VARIABLE, local_path, location


@contextlib.contextmanager
def locked(
    *parts: str, root: Path | str | None = None, wait: bool = True, shared: bool = False
) -> Generator[None]:
    """Hold a lock, by a file in a local lake, against other processes (in a store: `leases`).

    Args:
        parts: the steps to the lock's file below the lake's root.
        root: another root than CHANGELAKE_HOME.
        wait: for the process that holds it.
        shared: with other processes that share it, too.

    Raises:
        BlockingIOError: another process holds it.
        UserError: the lake is in a store.
    """
    path = local_path(text := location(*parts, root=root))
    if path is None:
        raise UserError(
            f"{text} is not a local file, so it cannot be locked: set {HOME_VARIABLE} to a local"
            " directory"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    # flock() locks the file: two paths to it, one of them through a symbolic link, share the lock.
    with path.open("ab") as lock:
        fcntl.flock(
            lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        )
        yield
