"""Who may land into a lake in an object store, which has no locks."""

import contextlib
import json
import os
import socket
import sys
import threading
import time
import uuid
from contextlib import AbstractContextManager
from datetime import datetime, timezone

from changelake.core.errors import UserError
from changelake.core.terminal import in_line, say
from changelake.spark.hadoop_files import HadoopFiles

LEASE = "landing.lease.json"


class Lease(AbstractContextManager["Lease"]):
    """The right of one process to land into a lake, as an object in its store.

    Its owner rewrites it every `beat_seconds`. A process that finds another's lease watches it: if
    it changes, the newcomer is refused; if it does not within `watch_seconds`, it is free. So no
    clocks are compared, and a killed landing blocks others no longer than that. In a store without
    conditional writes, two processes can take a free lease at once: each reads it again after
    `settle_seconds`, and the last writer has it.

    Args:
        files: the lake's files.
        beat_seconds: how often the owner shows that it is alive.
        watch_seconds: how long a lease lasts without a sign of life.
        settle_seconds: longer than a write to the store takes.
        stop: set by the caller to end the waits on entering; this process may not have it then.

    Raises:
        UserError: on entering, another process has it.
    """

    def __init__(
        self,
        files: HadoopFiles,
        beat_seconds: float = 10.0,
        watch_seconds: float = 60.0,
        settle_seconds: float = 5.0,
        stop: threading.Event | None = None,
    ) -> None:
        self._files = files
        self._beat_seconds, self._watch_seconds = beat_seconds, watch_seconds
        self._settle_seconds = settle_seconds
        self._stop = stop or threading.Event()
        self._id = uuid.uuid4().hex
        self._seen_at = time.monotonic()
        self._lost = False
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="lease", daemon=True)

    def __enter__(self) -> "Lease":
        found = self._files.read_text(LEASE)
        if found is not None:
            self._watch(found)
            if self._stop.is_set():
                return self
        self._write()
        if self._stop.wait(self._settle_seconds):
            return self
        found = self._files.read_text(LEASE)
        if not self._is_mine(found):
            raise self._refusal(found)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        # not started if entering was stopped
        if self._thread.ident:
            self._thread.join(self._watch_seconds)
        # A lease that cannot be deleted expires.
        with contextlib.suppress(Exception):
            if self._is_mine(self._files.read_text(LEASE)):
                self._files.delete(LEASE)

    def check(self) -> None:
        """Check that this process still has it: called before and during its writes.

        Raises:
            UserError: another process took it, or the store has not answered for so long that one
                may have.
        """
        silent = time.monotonic() - self._seen_at
        if self._lost or silent > self._watch_seconds / 2:
            raise UserError(
                f"this landing lost the lake's lease ({LEASE} there): another process took "
                f"it, or the store did not answer for {silent:.0f} s: nothing is lost, start it "
                "again"
            )

    def _watch(self, found: str) -> None:
        owner = _owner(found)
        say(
            f"{LEASE} in the lake says that {owner} lands into it: waiting up to "
            f"{self._watch_seconds:.0f} s for a sign of life",
            sys.stderr,
        )
        until = time.monotonic() + self._watch_seconds
        while time.monotonic() < until:
            if self._stop.wait(min(1.0, self._beat_seconds / 4)):
                return
            now = self._files.read_text(LEASE)
            if now is None:
                return
            # some file systems show an empty one while it is written
            if now and now != found:
                raise self._refusal(now)

    def _beat(self) -> None:
        while not self._end.wait(self._beat_seconds):
            # A store that does not answer is for check() to notice.
            with contextlib.suppress(Exception):
                if not self._is_mine(self._files.read_text(LEASE)):
                    self._lost = True
                    return
                self._write()

    def _write(self) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        lease = {"id": self._id, "host": socket.gethostname(), "process": os.getpid(), "at": now}
        # makes each beat differ, even two within a second
        lease["beat"] = time.monotonic_ns()
        self._files.put_text(json.dumps(lease), LEASE)
        self._seen_at = time.monotonic()

    def _is_mine(self, text: str | None) -> bool:
        return text is not None and f'"id": "{self._id}"' in text

    @staticmethod
    def _refusal(found: str | None) -> UserError:
        return UserError(
            f"another process lands into this lake, {_owner(found)}: a lake in a store has one "
            "landing at a time: wait for it, end it, or land all feeds in one call"
        )


def _owner(text: str | None) -> str:
    try:
        lease = json.loads(text or "")
        # whoever may write into the store decides what stands there
        return in_line(f"process {lease['process']} on {lease['host']}, last seen at {lease['at']}")
    except (ValueError, KeyError, TypeError):
        return "one that is not named"
