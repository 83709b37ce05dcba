"""Where things are: the repository, the lake, the targets of the profile."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from changelake.errors import UserError

REPO = Path(__file__).resolve().parents[2]
JARS = REPO / ".jars"
PROFILES = REPO / "profiles" / "profiles.yml"
TARGETS = ("sample", "local", "cluster")

HOME_VARIABLE = "CHANGELAKE_HOME"
JAVA_VARIABLE = "CHANGELAKE_JAVA_OPTIONS"
CODEGEN_VARIABLE = "CHANGELAKE_CODEGEN"
# On little data much of the time goes into compiling code that is hardly used then: into Java's
# second compiler, and into the Java that Spark writes for each query.
LITTLE_DATA = {
    JAVA_VARIABLE: "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m",
    CODEGEN_VARIABLE: "false",
}


def home() -> Path:
    """Return the lake's place as an absolute path: CHANGELAKE_HOME, or `lake` in the repository.

    Raises:
        UserError: CHANGELAKE_HOME is a URL (object store), where a local directory is needed.
    """
    text = os.environ.get(HOME_VARIABLE, "").strip()
    if "://" in text:
        raise UserError(f"{HOME_VARIABLE}={text} is no local directory, as this command needs")
    return Path(text).expanduser().absolute() if text else REPO / "lake"


def location(*parts: str, root: Path | str | None = None) -> str:
    """Return a place in the lake as Spark takes it: a path, or a URL if CHANGELAKE_HOME is one.

    Args:
        parts: the steps below the lake's root.
        root: another root than CHANGELAKE_HOME.
    """
    text = str(root) if root is not None else os.environ.get(HOME_VARIABLE, "").strip()
    if "://" in text:
        return "/".join([text.rstrip("/"), *parts])
    return str((Path(text).expanduser().absolute() if text else home()).joinpath(*parts))


def bronze(format_id: str, root: Path | str | None = None) -> str:
    """Return where the bronze table of a format lies."""
    return location("bronze", format_id, root=root)


def checkpoint(feed: str, root: Path | str | None = None) -> str:
    """Return where the landing job keeps its place in a feed."""
    return location("checkpoints", feed, root=root)


@contextlib.contextmanager
def locked(*parts: str, root: Path | str | None = None, wait: bool = True) -> Iterator[None]:
    """Hold a lock, by a file in the lake, against other processes; a lake at a URL has none.

    Args:
        parts: the steps to the lock's file below the lake's root.
        root: another root than CHANGELAKE_HOME.
        wait: for the process that holds it.

    Raises:
        BlockingIOError: another process holds it.
    """
    path = location(*parts, root=root)
    if "://" in path:
        yield
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def kafka_directory() -> Path:
    """Return where the local broker keeps its files."""
    return home() / "kafka"


def check_target(target: str, embedded: bool = False) -> str:
    """Return the target, or raise UserError if the profile has none of that name.

    Args:
        target: its name.
        embedded: it has to be one whose Spark this process starts.
    """
    if target not in TARGETS:
        raise UserError(f"there is no target {target!r}: use one of {', '.join(TARGETS)}")
    if embedded and target == "cluster":
        raise UserError(
            "on a cluster, land with spark-submit scripts/land.py and build with dbt build"
            " --target cluster; models are written by onboard.py on a lake of this machine"
        )
    return target


def export_home() -> None:
    """Make CHANGELAKE_HOME absolute for everything that this process starts (dbt, Spark)."""
    os.environ[HOME_VARIABLE] = location()


def expect_little_data() -> None:
    """Have Spark start for little data, but as the environment says where it says something."""
    for name, value in LITTLE_DATA.items():
        os.environ.setdefault(name, value)
