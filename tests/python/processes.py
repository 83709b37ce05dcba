"""Processes that tests start, stop and kill, and disks that they fill."""

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

from changelake.core.feeds import COLUMNS
from changelake.dev.project import project_copy

WORKING_SECONDS = 240.0
# Not from settings.REPO: while other tests build in a copy, that is the copy, without scripts.
SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# What a command says when another process has the catalog.
WAITS = "the catalog is in use by another process: waiting for it…\n"


def copy_with_scripts(repo: Path, *feeds: str) -> Path:
    """Copy the project, for commands in processes of their own; each feed is a line of the seed."""
    with project_copy(repo):
        shutil.copytree(SCRIPTS, repo / "scripts")
    (repo / "seeds" / "feeds.csv").write_text("\n".join([",".join(COLUMNS), *feeds, ""]))
    return repo


def stop_process(process: "subprocess.Popen[Any]") -> None:
    """Stop a process: with SIGTERM and, after 30 seconds, with SIGKILL."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def kill_at_work(
    command: dict[str, Any], is_at_work: Callable[[], bool], wait_seconds: float = 0.0
) -> bool:
    """Start a process; once it is working, kill it and all that it has started with SIGKILL.

    Args:
        command: the command for subprocess.Popen().
        is_at_work: polled until true, since only a kill during the work tests anything.
        wait_seconds: how long to let it work before the kill.

    Returns:
        False if it ended before the kill.
    """
    process = subprocess.Popen(**command, stdout=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + WORKING_SECONDS
    while process.poll() is None and not is_at_work() and time.monotonic() < until:
        time.sleep(0.005)
    time.sleep(wait_seconds)
    alive = process.poll() is None
    # Spark's Java process is in the same process group.
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return alive


@contextlib.contextmanager
def room_for(size: int) -> Iterator[None]:
    """Limit the size of every file that this process writes: a longer write stops in the middle."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def kill_java(pid: int) -> bool:
    """Kill the Java process that a Python process has started; return whether there was one."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    children = [
        int(child)
        for task in tasks
        for child in task.read_text().split()
        # Python starts helper processes, too.
        if Path(f"/proc/{child}/comm").read_text().strip() == "java"
    ]
    for child in children:
        os.kill(child, signal.SIGKILL)
    return bool(children)


@contextlib.contextmanager
def small_disk(place: Path, free: int) -> Iterator[Callable[[], None]]:
    """Mount a small disk over a directory, with its files and little free space; skip if refused.

    Args:
        place: the directory; in the end it gets the files of the disk.
        free: the number of free bytes.

    Yields:
        A function that frees space on the disk.
    """

    def mount(*options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["mount", *options, str(place)], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as other:
        shutil.copytree(place, other, dirs_exist_ok=True)
        page = os.sysconf("SC_PAGE_SIZE")
        # In a tmpfs a directory takes no space.
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
