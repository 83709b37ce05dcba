"""Who may write to a local lake's bronze tables and checkpoints.

On a local file system, two writers of a Delta table can overwrite each other's commits, and the
rows in them. Object stores have no locks, see leases.py.
"""

import contextlib
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack

from changelake.core.feeds import Feed
from changelake.core.file_locks import locked
from changelake.core.terminal import say
from changelake.landing.plans import FeedResult

UPKEEP = ("bronze", ".upkeep.lock")
# Most landings end by then; a continuous one does not.
LANDING_SECONDS = 60.0
RETRY_SECONDS = 0.25


def lock_all(
    feeds: list[Feed],
    root: str | None,
    results: dict[str, FeedResult],
    locks: ExitStack,
    stop: threading.Event,
) -> None:
    """Lock feeds and their formats; a feed that another process holds gets an error.

    Args:
        feeds: the feeds.
        root: the lake's place, by default CHANGELAKE_HOME.
        results: by feed, where its error is noted.
        locks: the stack that holds them.
        stop: set to end the wait for an upkeep; nothing is locked then.
    """
    # held until the other locks are, since an upkeep could take them in between
    with ExitStack() as upkeep:
        _wait_for_upkeep(upkeep, root, stop)
        if not stop.is_set():
            _lock(feeds, root, results, locks)


def _lock(
    feeds: list[Feed], root: str | None, results: dict[str, FeedResult], locks: ExitStack
) -> None:
    # Once per format: locks of one process exclude each other too.
    taken = {
        one
        for one in dict.fromkeys(feed.format for feed in feeds)
        if not _locked(locks, *_of_format(one), root=root)
    }
    for feed in feeds:
        # Two processes on one checkpoint land nothing twice, but end in errors that nobody
        # understands.
        if not _locked(locks, "checkpoints", f".{feed.feed}.lock", root=root):
            error = "another landing is under way: wait for it, or end it"
        elif feed.format in taken:
            error = (
                f"another process is landing a feed of the same format, {feed.format}: "
                "wait for it, or land both feeds in one call"
            )
        else:
            continue
        results[feed.feed].error = f"feed {feed.feed}: {error}"


@contextlib.contextmanager
def upkeep_lock(format_id: str) -> Generator[bool]:
    """Keep landings out of a bronze table, and yield whether that worked; new landings wait.

    Args:
        format_id: the table's format.
    """
    until = time.monotonic() + LANDING_SECONDS
    with ExitStack() as locks:
        locks.enter_context(locked(*UPKEEP))
        while not (is_free := _locked(locks, *_of_format(format_id))):
            if time.monotonic() >= until:
                break
            time.sleep(RETRY_SECONDS)
        yield is_free


def _wait_for_upkeep(locks: ExitStack, root: str | None, stop: threading.Event) -> None:
    if not _locked(locks, *UPKEEP, root=root, shared=True):
        say("waiting for the upkeep of bronze by scripts/maintain.py…")
        # not in flock(), which resumes after a signal
        while not _locked(locks, *UPKEEP, root=root, shared=True) and not stop.wait(RETRY_SECONDS):
            pass


def _of_format(format_id: str) -> tuple[str, str]:
    return "bronze", f".{format_id}.lock"


def _locked(locks: ExitStack, *parts: str, root: str | None = None, shared: bool = False) -> bool:
    try:
        locks.enter_context(locked(*parts, root=root, wait=False, shared=shared))
    except BlockingIOError:
        return False
    return True
