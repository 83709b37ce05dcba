"""Upkeep compacts files, and removes no file or day that a build still needs."""

import contextlib
import datetime
import re
from collections.abc import Callable, Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bronze_rows import append_to_bronze, bronze_row
from changelake.build.dbt import Build
from changelake.build.upkeep import maintain
from changelake.core.errors import UserError
from changelake.core.file_locks import locked
from unread import NOW, Unread

pytestmark = pytest.mark.e2e

FEED, FORMAT = "upkeep", "drs_json_c"
FEEDS_OF_TABLES = {FEED: FORMAT}
BRONZE = f"bronze.{FORMAT}"
EVENTS = f"silver.{FORMAT}_events"
# As many as half an hour of landings every 10 seconds leaves; Spark's hash leaves some files
# empty.
LANDINGS = 200
HOURS = 3600


@pytest.fixture(scope="module")
def unread(spark: Any, project: Path) -> Unread:
    """A lake of many small files, all of them parsed."""
    made = Unread(spark, project, FORMAT, FEED)
    made.land(("t", 0, range(LANDINGS)), files=LANDINGS)
    made.build()
    return made


def files(spark: Any) -> int:
    """Return the number of files in the bronze table."""
    return int(spark.sql(f"describe detail {BRONZE}").first()["numFiles"])


def stored_files(unread: Unread) -> int:
    """Return the number of bronze files on disk, including replaced ones."""
    return len(unread.data_files())


@pytest.mark.thorough
def test_small_files_are_put_together_and_nothing_is_parsed_again(
    unread: Unread, capsys: pytest.CaptureFixture[str]
) -> None:
    spark = unread.spark
    before, version = files(spark), unread.bronze.version()
    assert before > LANDINGS / 2
    maintain(spark, 7, 1, None)
    assert files(spark) == 1
    bronze, lake = capsys.readouterr().out.splitlines()
    assert bronze == f"{BRONZE}: {before} files before, 1 now"
    assert re.fullmatch(
        r"the tables have [\d.]+ MB in \d+ files, [\d.]+ MB in \d+ files before; .*", lake
    )
    newest = unread.bronze.version()
    assert newest > version
    assert unread.bronze.landed_between(version, newest) == 0
    # Without new messages, a build is cheap.
    assert "where false" in unread.compiled()
    maintain(spark, 7, 1, None)
    assert unread.bronze.version() == newest
    unread.land(("t", 0, range(LANDINGS, LANDINGS + 3)))
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


@pytest.mark.thorough
def test_files_that_a_build_may_ask_for_stay(unread: Unread) -> None:
    """The files that were replaced after the version that the last build read."""
    spark = unread.spark
    for offset in range(3):
        unread.land(("later", 0, range(offset, offset + 1)))
    maintain(spark, 7, 1, None)
    unread.age(3 * HOURS)
    maintain(spark, 7, 1, None)
    assert stored_files(unread) > LANDINGS / 2
    unread.build()
    assert unread.parsed() == sorted(unread.landed)
    # This build reads a version without new messages, so the next one still asks for the changes
    # after it.
    unread.land(("later", 0, range(3, 4)))
    unread.build()
    maintain(spark, 7, 1, None)
    assert stored_files(unread) < 10
    unread.land(("later", 0, range(4, 5)))
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


@pytest.mark.thorough
def test_nothing_is_done_while_another_process_lands(
    unread: Unread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since two processes might replace each other's commits."""
    monkeypatch.setattr("changelake.landing.locks.LANDING_SECONDS", 0.0)
    unread.land(("t", 1, range(2)), files=2)
    version = unread.bronze.version()
    skipped = pytest.raises(UserError, match=f"skipped bronze.{FORMAT}: another process is")
    with locked("bronze", f".{FORMAT}.lock"), skipped:
        maintain(unread.spark, 7, 1, None)
    assert unread.bronze.version() == version
    unread.build()


@pytest.mark.thorough
def test_a_failed_upkeep_step_does_not_stop_the_others(
    unread: Unread, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def operate(self: Build, macro: str, arguments: dict[str, Any], doing: str) -> None:
        done.append(macro)
        if macro == "maintain_bronze":
            raise UserError("maintain_bronze: no")

    monkeypatch.setattr(Build, "operate", operate)
    # A feed may have been removed from the list.
    monkeypatch.setattr("changelake.core.feeds.read_feeds", lambda **_: [])
    with pytest.raises(UserError, match="^maintain_bronze: no$"):
        maintain(unread.spark, 7, 1, None)
    assert done == ["maintain_bronze", "maintain_lake"]


@pytest.mark.parametrize("error", [None, UserError("dbt: broken")])
def test_a_terminal_shows_the_step_and_then_what_it_has_said(
    error: UserError | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextlib.contextmanager
    def waiting(text: str) -> Generator[None]:
        print(f"begin {text}")
        try:
            yield
        finally:
            print("end")

    def invoke(self: Build, callbacks: list[Callable[[Any], None]], *_: str) -> list[Any]:
        callbacks[0](SimpleNamespace(info=SimpleNamespace(name="PrintEvent", msg="3 files")))
        if error:
            raise error
        return []

    monkeypatch.setattr("changelake.build.dbt.waiting", waiting)
    monkeypatch.setattr(Build, "_invoke", invoke)
    with pytest.raises(UserError) if error else contextlib.nullcontext():
        Build(None, "local", lambda node: None).operate("maintain_bronze", {}, "upkeep")
    assert capsys.readouterr().out == "begin upkeep\nend\n3 files\n"


@pytest.mark.thorough
def test_old_days_are_dropped_but_for_rejects(
    unread: Unread, capsys: pytest.CaptureFixture[str]
) -> None:
    spark = unread.spark
    bad_day = NOW + datetime.timedelta(days=1)
    append_to_bronze(spark, FORMAT, [bronze_row(FEED, "bad", 0, 0, bad_day, b"{")])
    unread.landed.append(("bad", 0, 0))
    unread.build()
    today = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    # not parsed yet
    unread.land(("old", 0, range(2)), at=NOW - datetime.timedelta(days=1))
    unread.land(("new", 0, range(2)), at=today)
    maintain(spark, 7, 1, 30)
    assert topics(spark) == {"bad", "old", "new"}
    unread.build()
    assert unread.parsed() == sorted(unread.landed)
    counts = Build(spark, "local", lambda node: None).invoke(
        "build", "--select", "+message_counts_by_day", "--resource-type", "seed", "model"
    )
    assert not counts.failed
    capsys.readouterr()
    maintain(spark, 7, 1, 30)
    assert topics(spark) == {"bad", "new"}
    assert f"{BRONZE}: dropped 1 days, up to 2026-02-28" in capsys.readouterr().out
    # the day of the reject stays
    maintain(spark, 7, 1, 30)
    assert f"{BRONZE}: dropped no days: none is more than 30 days" in capsys.readouterr().out
    with pytest.raises(Exception, match="append"):
        spark.sql(f"delete from {BRONZE}")
    # as in a lake that has lost its catalog
    spark.sql(f"drop table {BRONZE}")
    unread.land(("new", 0, range(2, 3)), at=today)
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


def topics(spark: Any) -> set[str]:
    """Return the topics of bronze's messages."""
    return {row[0] for row in spark.sql(f"select distinct kafka_topic from {BRONZE}").collect()}


@pytest.mark.thorough
def test_events_are_not_built_anew_from_what_is_left(unread: Unread) -> None:
    """This follows the test in which days were dropped."""
    project = Build(unread.spark, "local", lambda node: None)
    rebuild = ("run", "--full-refresh", "--select", f"{FORMAT}_events")
    (node,) = project.invoke(*rebuild).failed
    assert f"bronze.{FORMAT} no longer has what landed on 2026-03-01" in node.message
    assert unread.parsed() == sorted(unread.landed)
    assert not project.invoke(*rebuild, "--vars", "changelake_without_dropped_days: true").failed
    assert {topic for topic, *_ in unread.parsed()} == {"bad", "new"}


@pytest.mark.thorough
def test_what_goes_wrong_is_said(unread: Unread) -> None:
    """Delta refuses to remove files that other readers of silver may still need."""
    with pytest.raises(UserError, match="^maintain_lake: .*retention"):
        maintain(unread.spark, 1, 1, None)
