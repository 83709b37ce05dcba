"""Ctrl-C and a scheduler's SIGTERM: the first ends a command gracefully, the second at once."""

import contextlib
import os
import signal
import threading
from collections.abc import Generator
from typing import Any

from changelake.spark.jvm import active_context, kill_jvm

CANCEL_SECONDS = 0.2


class Interrupts:
    """Turns the first SIGINT or SIGTERM into a KeyboardInterrupt, and cancels Spark's jobs.

    dbt waits for running statements, and a merge can take minutes, unless its jobs are cancelled.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._ended = threading.Event()
        self._number = 0
        self._is_graceful = False

    def listen(self) -> None:
        """Install the handlers: at the start, and after Spark's session, which installs its own."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._received)

    def end(self) -> None:
        """Stop cancelling Spark's jobs: the command is over, and later jobs are not its own."""
        self._ended.set()

    @property
    def exit_code(self) -> int:
        """Return the exit code that a shell reports for a command ended by the signal."""
        return 128 + (self._number or signal.SIGINT)

    @contextlib.contextmanager
    def graceful(self) -> Generator[None]:
        """Let what runs in the context end by itself once `stop` is set, then raise.

        Raises:
            KeyboardInterrupt: a signal came.
        """
        self._is_graceful = True
        try:
            yield
        finally:
            self._is_graceful = False
        self.check()

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal came: the first one may have been swallowed."""
        if self.stop.is_set():
            raise KeyboardInterrupt

    def _received(self, number: int, _: Any) -> None:
        if self._number:
            # it holds the catalog, and would outlive this process by seconds
            kill_jvm()
            os._exit(128 + number)
        self._number = number
        self.stop.set()
        if not self._is_graceful:
            threading.Thread(target=self._cancel_jobs, name="cancel", daemon=True).start()
            raise KeyboardInterrupt

    def _cancel_jobs(self) -> None:
        # repeatedly, since dbt's other threads may start more
        while not self._ended.is_set() and (context := active_context()):
            with contextlib.suppress(Exception):
                context.cancelAllJobs()
            self._ended.wait(CANCEL_SECONDS)
