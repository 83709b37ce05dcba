"""The upkeep of a lake, and when it is due."""

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from changelake.build.dbt import Build
from changelake.build.marks import Marks
from changelake.core import settings
from changelake.core.feeds import read_feeds
from changelake.core.terminal import say
from changelake.landing.bronze import bronze_version

TARGET = "local"
DAY_SECONDS = 24 * 60 * 60
DUE_AFTER_SECONDS = 7 * DAY_SECONDS
# A landing writes a file for each partition of a topic that has news.
DUE_AFTER_COMMITS = 2_000


def maintain(spark: Any, days: int, bronze_hours: int, drop_bronze_days: int | None) -> None:
    """Do the upkeep of a lake, see the macro maintain_lake().

    Args:
        spark: the session, with the catalog.
        days: files of silver and state that were replaced in the last so many days stay.
        bronze_hours: the same of bronze, in hours.
        drop_bronze_days: of bronze, days that are older than so many are dropped; None: none.

    Raises:
        UserError: a step failed.
    """
    before = _stored()
    _hush_console(spark)
    Build(spark, TARGET, lambda node: None).operate(
        "maintain_lake",
        {"days": days, "bronze_hours": bronze_hours, "bronze_days": drop_bronze_days},
    )
    formats = {feed.format for feed in read_feeds(target=TARGET)}
    versions = {one: bronze_version(spark, one) for one in sorted(formats)}
    Marks(TARGET).write(upkeep={"at": time.time(), "bronze": versions, "told_at": 0})
    after = _stored()
    say(f"the lake has {_text(*after)}" + f", {_text(*before)} before" * (after != before))


def _hush_console(spark: Any) -> None:
    # Delta prints there how many files it has removed, but not of which table
    java = spark._jvm
    nowhere = java.java.io.PrintStream(java.java.io.OutputStream.nullOutputStream())
    getattr(java, "scala.Console$").__getattr__("MODULE$").setOutDirect(nowhere)


def _stored() -> tuple[int, int]:
    """Return how many files the lake has, and their bytes."""
    sizes: list[int] = []
    for file in Path(settings.home()).rglob("*"):
        # a landing goes on meanwhile
        with contextlib.suppress(FileNotFoundError):
            if file.is_file():
                sizes.append(file.stat().st_size)
    return len(sizes), sum(sizes)


def _text(files: int, size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB in {files:,} files"


def due_upkeep(marks: Marks, bronze: Mapping[str, int]) -> str:
    """Return why the upkeep is due, empty where it is not, and once a day only.

    Args:
        marks: those of the lake.
        bronze: the versions of bronze's tables, which each landing counts up, by format.
    """
    now = time.time()
    last = marks.upkeep() or {"at": now, "bronze": {}, "told_at": 0}
    commits = {one: version - last["bronze"].get(one, 0) for one, version in bronze.items()}
    most, count = max(commits.items(), key=lambda one: one[1], default=("", 0))
    reason = ""
    if now - last["told_at"] >= DAY_SECONDS:
        if count >= DUE_AFTER_COMMITS:
            reason = f"bronze.{most} has {count:,} commits since the last upkeep"
        elif now - last["at"] >= DUE_AFTER_SECONDS:
            reason = f"the last upkeep was {(now - last['at']) / DAY_SECONDS:.0f} days ago"
    if reason or not marks.upkeep():
        marks.write(upkeep={**last, "told_at": now if reason else last["told_at"]})
    return reason and f"{reason}: run scripts/maintain.py"
