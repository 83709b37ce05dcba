"""The upkeep of a lake, and when it is due."""

import contextlib
import os
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from changelake.build.dbt import Build
from changelake.build.marks import Marks, Upkeep
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS
from changelake.core.terminal import say
from changelake.core.words import counted
from changelake.landing.bronze import BronzeTable
from changelake.landing.locks import upkeep_lock
from changelake.spark.derby import hold_catalog, release_catalog
from changelake.spark.jvm import java_packages

TARGET = "local"
DAY_SECONDS = 24 * 60 * 60
DUE_AFTER_SECONDS = 7 * DAY_SECONDS
# A landing writes a file for each partition of a topic that has new messages.
DUE_AFTER_COMMITS = 2_000


def maintain(spark: Any, days: int, bronze_hours: int, drop_bronze_days: int | None) -> None:
    """Do the upkeep of a lake, see the macros maintain_bronze() and maintain_lake().

    Args:
        spark: the session, with the catalog.
        days: for how many days replaced files of silver and state are kept.
        bronze_hours: for how many hours replaced files of bronze are kept.
        drop_bronze_days: days of bronze that are older than this are dropped; None: none.

    Raises:
        UserError: a step failed, or another process was landing all the while.
    """
    # a run need not wait while this waits for a landing
    release_catalog(spark)
    before = _stored()
    _hush_console(spark)
    project = Build(spark, TARGET, lambda node: None)
    taken: list[str] = []
    errors: list[str] = []
    given = {"hours": bronze_hours, "drop_days": drop_bronze_days}
    # also of a format whose feed is gone
    for one in FORMATS:
        with _noted(errors):
            if BronzeTable(spark, one).version() > 0 and not _maintain_bronze(project, one, given):
                taken.append(one)
    with hold_catalog(spark), _noted(errors):
        project.operate("maintain_lake", {"days": days}, "upkeep of silver and state")
        if not taken and not errors:
            versions = {one: BronzeTable(spark, one).version() for one in FORMATS}
            # with the catalog held: runs read and write the marks only while they have it
            Marks(TARGET).write(upkeep={"at": time.time(), "bronze": versions, "told_at": 0})
    after = _stored()
    say(
        f"the tables have {_text(*after)}, {_text(*before)} before; replaced files are kept for"
        f" {counted(bronze_hours, 'hour')} in bronze, {counted(days, 'day')} elsewhere"
    )
    if taken:
        errors.append(
            f"skipped bronze.{', bronze.'.join(taken)}: another process is landing into it: stop"
            " land.py --continuous, and run maintain.py again"
        )
    if errors:
        raise UserError("\n".join(errors))


@contextlib.contextmanager
def _noted(errors: list[str]) -> Generator[None]:
    # A failed step does not stop the others.
    try:
        yield
    except UserError as error:
        errors.append(str(error))


def _maintain_bronze(project: Build, format_id: str, given: Mapping[str, int | None]) -> bool:
    # Return whether it was done, which another process that lands there prevents.
    with upkeep_lock(format_id) as is_free:
        if is_free:
            with hold_catalog(project.embedded):
                arguments = {"format": format_id, **given}
                project.operate("maintain_bronze", arguments, f"upkeep of bronze.{format_id}")
    return is_free


def _hush_console(spark: Any) -> None:
    # Delta prints how many files it removed, but not from which table
    java = java_packages(spark)
    nowhere = java.java.io.PrintStream(java.java.io.OutputStream.nullOutputStream())
    getattr(java, "scala.Console$").__getattr__("MODULE$").setOutDirect(nowhere)


def _stored() -> tuple[int, int]:
    """Return how many files the tables have, and their bytes."""
    sizes: list[int] = []
    for part in ("bronze", "warehouse"):
        # files that vanish meanwhile are skipped
        for folder, _, names in os.walk(settings.location(part)):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    sizes.append((Path(folder) / name).stat().st_size)
    return len(sizes), sum(sizes)


def _text(files: int, size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB in {files:,} files"


def due_upkeep(marks: Marks, bronze: Mapping[str, int]) -> str:
    """Return why upkeep is due, empty if it is not; only once a day.

    Args:
        marks: those of the lake.
        bronze: by format, the version of its bronze table, which each landing increases.
    """
    now = time.time()
    before = marks.upkeep()
    last: Upkeep = before or {"at": now, "bronze": {}, "told_at": 0}
    commits = {one: version - last["bronze"].get(one, 0) for one, version in bronze.items()}
    most, count = max(commits.items(), key=lambda one: one[1], default=("", 0))
    reason = ""
    if now - last["told_at"] >= DAY_SECONDS:
        if count >= DUE_AFTER_COMMITS:
            since = "since the last upkeep" if last["bronze"] else "and has had no upkeep"
            reason = f"bronze.{most} has {count:,} commits {since}"
        elif now - last["at"] >= DUE_AFTER_SECONDS:
            days = f"{(now - last['at']) / DAY_SECONDS:.0f} days"
            was = f"the last upkeep was {days} ago"
            reason = was if last["bronze"] else f"no upkeep in {days}"
    if reason or not before:
        marks.write(upkeep={**last, "told_at": now if reason else last["told_at"]})
    return reason and f"{reason}: run scripts/maintain.py"
