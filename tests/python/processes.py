"""Processes that tests kill."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from typing import Any

WORKING_SECONDS = 240.0


def kill_at_work(
    command: dict[str, Any], is_at_work: Callable[[], bool], wait_seconds: float = 0.0
) -> bool:
    """Start a process, and kill it and all that it started with SIGKILL once it is at work.

    Args:
        command: what subprocess.Popen() takes.
        is_at_work: asked again and again; only in the midst of work does a kill try anything.
        wait_seconds: how long to let it work.

    Returns:
        False when it ended before the kill.
    """
    process = subprocess.Popen(**command, stdout=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + WORKING_SECONDS
    while process.poll() is None and not is_at_work() and time.monotonic() < until:
        time.sleep(0.005)
    time.sleep(wait_seconds)
    alive = process.poll() is None
    # Spark's Java process stands in the same process group.
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive
