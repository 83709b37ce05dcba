"""Processes that tests kill, and disks that they fill."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WORKING_SECONDS = 240.0
# not of settings.REPO, which is a copy without them while other tests build in one
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# what a command says that finds the catalog taken
WAITS = "the catalog is in use by another process: waiting for it…\n"


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


@contextlib.contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size in bytes: writing it ends in its midst."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def kill_java(pid: int) -> bool:
    """Kill the Java process that a Python process has started; say whether there was one."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [
        int(child)
        for task in tasks
        for child in task.read_text().split()
        # Python has helpers of its own
        if Path(f"/proc/{child}/comm").read_text().strip() == "java"
    ]
    for child in children:
        os.kill(child, signal.SIGKILL)
    return bool(children)


@contextlib.contextmanager
def small_disk(place: Path, free: int) -> Iterator[Callable[[], None]]:
    """Lay a disk over a directory, with what the directory holds and little more; skip if refused.

    Args:
        place: the directory, which keeps in the end what the disk has then.
        free: how many bytes are left on it.

    Yields:
        What makes room on it.
    """

    def mount(*options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["mount", *options, str(place)], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as other:
        shutil.copytree(place, other, dirs_exist_ok=True)
        page = os.sysconf("SC_PAGE_SIZE")
        # a directory takes nothing of a tmpfs
        files = (one for one in Path(other).rglob("*") if one.is_file())
        used = sum(1 + one.stat().st_size // page for one in files) * page
        done = mount("-t", "tmpfs", "-o", f"size={used + free}", "tmpfs")
        if done.returncode:
            pytest.skip(f"no tmpfs can be mounted: {done.stderr.strip()}")
        try:
            shutil.copytree(other, place, dirs_exist_ok=True)
            yield lambda: mount("-o", "remount,size=256m").check_returncode()
            shutil.copytree(place, other, dirs_exist_ok=True)
        finally:
            subprocess.run(["umount", str(place)], check=True)
        shutil.copytree(other, place, dirs_exist_ok=True)
