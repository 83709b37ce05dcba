"""What a build and run.py record and say, with a fake dbt."""

import contextlib
import errno
import io
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from changelake.build import dbt, declared_tables, pending, runner
from changelake.build.decisions import decision, still_open, texts_of
from changelake.build.idle import changed_formats
from changelake.build.marks import Marks
from changelake.build.report import (
    BuildReport,
    BuildResult,
    NodeResult,
    Rejected,
    Unreadable,
    outcome,
)
from changelake.build.runner import build_pending
from changelake.build.upkeep import DUE_AFTER_COMMITS, due_upkeep
from changelake.core import settings, tuning
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.core.logs import log_file
from changelake.core.terminal import Terminal
from changelake.kafka.client import SERVERS_VARIABLE, check_reachable
from changelake.landing.bronze import BronzeTable
from changelake.landing.job import LandingError
from changelake.landing.plans import FeedResult
from changelake.onboarding.differences import Change
from changelake.onboarding.table_events import TableEvents
from changelake.runs import costs, one_run, recorded_runs, repeating
from changelake.spark.catalog import Restored
from changelake.spark.interrupts import CANCEL_SECONDS
from changelake.spark.profile import profile_target
from processes import SCRIPTS

FEEDS = [Feed("a", "canal", ("a",)), Feed("b", "debezium", ("b",))]


@pytest.fixture(autouse=True)
def _no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the project that other tests in this process have parsed."""
    monkeypatch.setattr(dbt, "_parsed", {})


BAD_MODEL = (NodeResult("bad", "model", "error", "", 0),)
BAD_TEST = (
    NodeResult("bad", "model", "success", "", 0),
    NodeResult("is_key_bad", "test", "fail", "", 0, ("bad", "feeds")),
)


TABLES = {
    name: {"events": events, "feeds": [feed], "state": name, "current": name}
    for name, events, feed in (
        ("good", "canal_events", "a"),
        ("bad", "debezium_events", "no_such_feed"),
    )
}


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({"feed": ["a"], "table": "t"}, "m.sql does not say 'feeds' in its meta"),
        ({"feeds": ["a"]}, "m.sql does not say 'table' in its meta"),
        ({"feeds": ["a"], "table": "t"}, "m.sql does not say 'columns' in its meta"),
        (
            {"feeds": "a", "table": "t", "columns": {}},
            r"m.sql has 'feeds': 'a' in its meta: write a list, \['a'\]",
        ),
        (
            {"feeds": ["a"], "table": "t", "columns": {}, "key": "id"},
            r"has 'key': 'id' .*: write a list, \['id'\]",
        ),
        (
            {"feeds": ["a"], "table": "t", "columns": {}, "key": 5},
            r"has 'key': 5 .*: write a list, \[5\]",
        ),
        *(
            ({"feeds": ["a"], "table": "t", "columns": {"c": column}}, "'c' without a type")
            for column in (None, 5, {"mask": "hash"}, {"type": 5})
        ),
        *(
            (
                {"feeds": ["a"], "table": "t", "columns": {}, "tombstone_days": days},
                f"'tombstone_days': {days!r} in its meta: write a number of days",
            )
            for days in ("30", -1, True, None)
        ),
        (
            {"feeds": ["a"], "table": "t", "columns": {}, "evolve": False},
            "write one of add, ask, off, in quotes",
        ),
        *(
            (
                {"feeds": ["a"], "shards": shards, "columns": {}},
                "'shards' in its meta that is not a regular expression",
            )
            for shards in ("(", ["t_1", "t_2"])
        ),
    ],
)
def test_what_a_model_declares_is_checked(meta: dict[str, Any], said: str) -> None:
    config = SimpleNamespace(materialized="current_table", meta=meta)
    node = SimpleNamespace(
        name="m", resource_type="model", original_file_path="m.sql", config=config
    )
    with pytest.raises(UserError, match=said):
        declared_tables.declared_tables(SimpleNamespace(nodes={"m": node}))


def test_shards_need_no_table() -> None:
    config = SimpleNamespace(
        materialized="current_table", meta={"feeds": ["a"], "shards": "t_.*", "columns": {}}
    )
    node = SimpleNamespace(
        name="m", alias="m", resource_type="model", original_file_path="m.sql", config=config,
        refs=[SimpleNamespace(name="canal_events")],
    )  # fmt: skip
    found = declared_tables.declared_tables(SimpleNamespace(nodes={"m": node}))
    assert found["m"]["events"] == "canal_events"


class Project(dbt.Build):
    """Two formats with two tables, one of which cannot be built."""

    bad: tuple[NodeResult, ...] = BAD_MODEL

    def invoke(self, command: str, *arguments: str) -> BuildResult:
        """Build silver or the tables."""
        if "good" not in arguments:
            return BuildResult()
        return BuildResult([NodeResult("good", "model", "success", "", 0), *self.bad])

    def manifest(self) -> Any:
        """Return None instead of a project."""


@pytest.mark.parametrize("bad", [BAD_MODEL, BAD_TEST])
def test_a_table_that_fails_keeps_no_other_format_from_being_marked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bad: tuple[NodeResult, ...]
) -> None:
    monkeypatch.setattr(Project, "bad", bad)
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(runner, "Build", Project)
    monkeypatch.setattr(pending, "declared_tables", lambda manifest: TABLES)
    monkeypatch.setattr(pending, "pending_tables", lambda *_: ["bad", "good"])
    # one batch per format
    batches = [("canal_events", "a", 7), ("debezium_events", "b", 8)]
    events = [TableEvents(name, feed, None, None, "t", batch, []) for name, feed, batch in batches]
    monkeypatch.setattr(pending, "new_events", lambda *_: events)
    monkeypatch.setattr(runner, "read_feeds", lambda target: FEEDS)
    with (tmp_path / "log").open("w") as log:
        built = build_pending(None, "local", FEEDS, Console(file=log))
    assert [node.name for node in built.failed + built.failed_tests] == [bad[-1].name]
    line = "\nseeds/feeds.csv does not have the feed no_such_feed: no rows come from it for bad\n"
    assert line in "\n" + (tmp_path / "log").read_text()
    assert Marks("local").batches() == {"canal_events": 7}
    assert Marks("local").tables() == {"good"}


def test_schema_changes_wait_for_a_format_that_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Alterations are followed for all formats at once; other formats' tables are still built."""

    class Broken(Project):
        """A project in which the events of one format cannot be built."""

        bad = ()
        is_broken = True

        def invoke(self, command: str, *arguments: str) -> BuildResult:
            if self.is_broken and "good" not in arguments:
                return BuildResult([NodeResult("debezium_events", "model", "error", "", 0)])
            return super().invoke(command, *arguments)

    evolved: list[Any] = []
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(runner, "Build", Broken)
    monkeypatch.setattr(runner, "_rejected", lambda *_: [])
    monkeypatch.setattr(runner, "damaged_tables", lambda spark: {})
    monkeypatch.setattr(runner, "read_feeds", lambda target: FEEDS)
    monkeypatch.setattr(pending, "declared_tables", lambda manifest: TABLES)
    monkeypatch.setattr(pending, "pending_tables", lambda lake, tables, *_: [*tables])
    events = [TableEvents("canal_events", "a", None, None, "t", 7, [])]
    monkeypatch.setattr(pending, "new_events", lambda lake, names, since: events)
    evolve = pending.PendingBuild._evolve
    monkeypatch.setattr(
        pending.PendingBuild, "_evolve", lambda *all: evolved.append(all) or evolve(*all)
    )
    for is_broken, batches in ((True, {}), (False, {"canal_events": 7})):
        Broken.is_broken = is_broken
        with (tmp_path / "log").open("w") as log:
            built = build_pending(None, "local", FEEDS, Console(file=log, width=300))
        assert "good" in {node.name for node in built.nodes}
        said = "debezium_events cannot be built: schema changes are followed by"
        assert (said in (tmp_path / "log").read_text()) == is_broken
        # The statements that alter tables are read again.
        assert (bool(evolved), Marks("local").batches()) == (not is_broken, batches)


def test_what_was_asked_is_asked_again_where_a_run_ends_before_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Good(Project):
        """A project in which everything builds."""

        bad = ()

    told = {"good": [["new", "note", ""]]}
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(runner, "Build", Good)
    monkeypatch.setattr(runner, "damaged_tables", lambda spark: {})
    monkeypatch.setattr(runner, "read_feeds", lambda target: FEEDS)
    monkeypatch.setattr(pending, "declared_tables", lambda manifest: TABLES)
    monkeypatch.setattr(pending, "pending_tables", lambda *_: ["good"])
    # An `alter table` is only seen among new events.
    events = [TableEvents("canal_events", "a", None, None, "t", 7, [])]
    monkeypatch.setattr(pending, "new_events", lambda *_: events)
    evolution = pending.Evolution(asked=["good: a question"], differences=told)
    monkeypatch.setattr(pending.PendingBuild, "_evolve", lambda *_: evolution)

    def interrupted(*_: object) -> list[Rejected]:
        raise KeyboardInterrupt

    with (tmp_path / "log").open("w") as log:
        monkeypatch.setattr(runner, "_rejected", interrupted)
        with pytest.raises(KeyboardInterrupt):
            build_pending(None, "local", FEEDS, Console(file=log))
        assert (Marks("local").told(), Marks("local").batches()) == ({}, {})
        monkeypatch.setattr(runner, "_rejected", lambda *_: [])
        built = build_pending(None, "local", FEEDS, Console(file=log))
    assert built.asked == ["good: a question"]
    assert (Marks("local").told(), Marks("local").batches()) == (told, {"canal_events": 7})


@pytest.mark.parametrize(
    ("change", "changes", "now", "is_open"),
    [
        (Change("key", "", "v"), [Change("key", "", "v")], {}, True),
        (Change("key", "", "v"), [], {}, False),
        # Something else has been asked since.
        (Change("unfit", "v", "int"), [Change("unfit", "v", "date")], {}, False),
        (Change("outgrown", "v", "string"), [], {}, True),
        (Change("outgrown", "v", "string"), [], {"columns": {"v": "string"}}, False),
        (Change("unmatched", "v", ""), [], {}, True),
        (Change("unmatched", "v", ""), [], {"columns": {}}, False),
        (Change("unmatched", "v", ""), [], {"key": ["id"]}, False),
    ],
)
def test_a_decision_is_open_until_it_is_taken(
    change: Change, changes: list[Change], now: dict[str, Any], is_open: bool
) -> None:
    meta: Any = {"columns": {"v": "int"}}
    asked = decision(change, meta, "t: decide")
    assert asked is not None
    found = still_open([asked], changes, meta | now)
    assert texts_of(found) == ["t: decide"] * is_open


def test_an_edit_of_feeds_has_silver_built_anew_only_for_another_format(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Silver has thirty models; they are not rebuilt when another topic is added to a feed."""
    chosen: list[str] = []

    class Recorded(Project):
        """Records what is built."""

        def invoke(self, command: str, *arguments: str) -> BuildResult:
            chosen[:] = arguments[arguments.index("--select") + 1 : arguments.index("--exclude")]
            return BuildResult()

    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path / "lake"))
    monkeypatch.setattr(settings, "REPO", tmp_path)
    macro, seed = tmp_path / "macros" / "of_each_format.sql", tmp_path / "seeds" / "feeds.csv"
    for file in (macro, seed, tmp_path / "lake" / "built-local.json"):
        file.parent.mkdir()
        file.write_text("{}")

    def built(feeds: str) -> set[str]:
        seed.write_text(f"feed,topics,topic_pattern,format,time_zone\n{feeds}")
        console = Console(file=io.StringIO())
        report = BuildReport(console)
        project = Recorded(None, "local", report.finished)
        pending.PendingBuild(project, FEEDS, report, console, True)._silver({"canal"}, [])
        return set(chosen)

    everything = {"resource_type:seed", "path:models/silver"}
    assert built("a,one,,canal,\n") > everything
    assert {"canal_events", "feeds"} & built("a,one,,canal,\n") == {"canal_events"}
    assert {"canal_events", "feeds"} < built("a,one two,,canal,\n")
    assert "feeds" not in built("a,one two,,canal,\n")
    assert {"canal_events", "feeds"} < built("a,one two,,canal,\nb,b,,canal,Asia/Tokyo\n")
    assert built("a,one two,,canal,\nb,b,,debezium,\n") > everything
    macro.write_text("changed")
    assert built("a,one two,,canal,\nb,b,,debezium,\n") > everything


def test_a_run_says_the_rejects_of_its_own_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def sql(statement: str) -> Any:
        asked.append(statement)
        return SimpleNamespace(collect=lambda: [])

    nodes = [NodeResult(f"{one}_events", "model", "success", "", 0) for one in ("canal", "ticdc")]
    # The clock was ahead when one format's batches were made.
    lake: Any = SimpleNamespace(sql=sql)
    runner._rejected(lake, nodes, 1_000, {"canal_events": 5_000})
    (statement,) = asked
    assert re.findall("parse_batch >= ([0-9]+)", statement) == ["5001", "1000"]


@pytest.mark.parametrize(
    ("readable", "nodes", "reason"),
    [
        ([], ["message_counts_by_day"], "malformed_json"),
        (["b"], ["message_counts_by_day"], "malformed_json"),
        # One broken message of a feed that can be read says nothing of its format.
        (["a"], ["message_counts_by_day"], None),
        # What was counted is out of date.
        ([], ["canal_events"], None),
    ],
)
def test_a_feed_without_a_message_that_can_be_parsed_may_have_another_format(
    readable: list[str], nodes: list[str], reason: str | None
) -> None:
    lake: Any = SimpleNamespace(
        sql=lambda _: SimpleNamespace(collect=lambda: [SimpleNamespace(feed=f) for f in readable])
    )
    built = BuildResult(
        [NodeResult(one, "model", "success", "", 0) for one in nodes],
        [Rejected("a", "not_utf8", 2), Rejected("a", "malformed_json", 3)],
    )
    found = runner._unreadable(lake, built, FEEDS)
    assert found == ([Unreadable("a", "canal", reason)] if reason else [])
    # as with a registry that cannot be reached
    built.rejected.append(Rejected("a", "unknown_schema", 1))
    assert runner._unreadable(lake, built, FEEDS) == []


class PretendedLake:
    """A fake lake with given bronze, relations and waiting halves; it counts its builds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self.versions = {"canal": 3, "debezium": 5}
        self.relations = ["current.t", "silver.canal_events"]
        self.events = 7
        self.waiting: list[int] = []
        self.result = BuildResult()
        self.builds = 0
        self.chosen: Any = None
        self.project = "as it is"
        self.confs = {"spark.sql.codegen.wholeStage": "true"}
        self.confs["spark.sql.codegen.factoryMode"] = "FALLBACK"
        self.conf = SimpleNamespace(get=self.confs.get, set=self.confs.__setitem__)
        self.built_with: dict[str, str] = {}
        self.catalog = SimpleNamespace(tableExists=lambda name: True)
        self.catalog_told = Restored([], [])
        self.tables: set[str] = set()
        monkeypatch.setenv(settings.HOME_VARIABLE, str(home))
        for name, fake in {
            "read_feeds": lambda target: FEEDS,
            "restore_catalog": lambda spark: self.catalog_told,
            "inputs": lambda spark, formats: {
                "bronze": {one: self.versions[one] for one in formats},
                "project": self.project,
            },
            "outputs": lambda spark, lake, formats: {
                "relations": list(self.relations),
                "events": {one: self.events for one in formats},
            },
            "event_versions": lambda spark, formats: {one: self.events for one in formats},
            "damaged_tables": lambda spark: {},
        }.items():
            monkeypatch.setattr(runner, name, fake)
        # Each version has ten thousand messages.
        monkeypatch.setattr(
            BronzeTable, "landed_between", lambda table, since, newest: 10_000 * (newest - since)
        )
        monkeypatch.setattr(runner.PendingBuild, "run", self._build)
        monkeypatch.setattr(runner, "_build_selected", self._build)

    def sql(self, statement: str) -> Any:
        """Return the waiting halves."""
        assert "outcome = 'waiting'" in statement
        return SimpleNamespace(collect=lambda: self.waiting)

    def _build(self, chosen: Any, *_: Any) -> BuildResult:
        self.builds += 1
        self.chosen = chosen
        self.built_with = dict(self.confs)
        self.tables = Marks("local").tables()
        return self.result

    def is_idle(self, feeds: list[Feed] = FEEDS, target: str = "local", **options: Any) -> bool:
        """Run, and return whether nothing was built."""
        before = self.builds
        build_pending(self, target, feeds, Console(file=io.StringIO()), **options)
        return self.builds == before


@pytest.fixture
def lake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PretendedLake:
    """The fake lake."""
    return PretendedLake(monkeypatch, tmp_path)


def test_a_run_is_idle_until_something_changes(lake: PretendedLake) -> None:
    assert not lake.is_idle()
    assert lake.is_idle() and lake.is_idle(FEEDS[:1])
    # A run of some of the feeds checks the whole lake, too.
    lake.versions["debezium"] += 1
    assert not lake.is_idle() and lake.is_idle()
    assert not lake.is_idle(select=["t"])
    assert not lake.is_idle(retry=True)
    assert not lake.is_idle(target="sample")


def test_a_run_builds_nothing_before_something_has_landed(
    lake: PretendedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = io.StringIO()
    spark: Any = lake

    def run() -> int:
        build_pending(spark, "local", FEEDS, Console(file=said, width=300))
        return lake.builds

    monkeypatch.setattr(BronzeTable, "is_untouched", lambda table: True)
    lake.relations, lake.versions = [], {"canal": 0, "debezium": -1}
    assert run() == run() == 0
    assert said.getvalue() == 2 * (
        "nothing has landed yet, so there is nothing to build: check --bootstrap-servers, and that"
        " the topics in seeds/feeds.csv have messages\n"
    )
    # A run that is repeated does not get that far again.
    assert runner.is_idle(spark, "local", FEEDS)
    lake.versions["canal"] = 1
    assert not runner.is_idle(spark, "local", FEEDS)
    assert run() == 1
    # The catalog is lost, and messages are there.
    lake.versions["canal"] = 0
    monkeypatch.setattr(BronzeTable, "is_untouched", lambda table: False)
    assert run() == 2


def test_a_run_without_news_says_what_is_still_to_decide(lake: PretendedLake) -> None:
    lake.is_idle()
    Marks("local").write(asked={"t": [["key", "", "v", "", "t: the source's key is now v"]]})
    built = build_pending(lake, "local", FEEDS, Console(file=io.StringIO()))
    assert (built.asked, built.open) == ([], ["t: the source's key is now v"])


def test_only_formats_that_have_changed_are_built(lake: PretendedLake) -> None:
    def chosen(feeds: list[Feed] = FEEDS) -> set[str]:
        assert not lake.is_idle(feeds)
        return lake.chosen

    everything = {"canal", "debezium"}
    assert chosen() == everything
    lake.versions["canal"] += 1
    # What a failed build has left undone is left to the next one.
    for result in (BuildResult([NodeResult("t", "model", "error", "", 0)]), BuildResult()):
        lake.result = result
        assert chosen() == {"canal"}
    lake.versions["debezium"] += 1
    assert chosen(FEEDS[:1]) == set() and chosen() == {"debezium"}
    lake.relations.remove("current.t")
    assert chosen() == set() and Marks("local").checksum("silver") == ""
    for name in ("events", "project"):
        setattr(lake, name, "other")
        assert chosen() == everything


def test_a_new_schema_is_news_of_the_formats_that_have_schemas() -> None:
    last = {"bronze": {"canal": 3, "debezium_avro": 5}, "schemas": 1, "project": "as it is"}
    assert changed_formats(last, last) == set()
    assert changed_formats(last, {**last, "schemas": 2}) == {"debezium_avro"}
    assert changed_formats({}, last) == {"canal", "debezium_avro"}


def test_a_run_with_little_to_do_compiles_no_query(
    lake: PretendedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(tuning.CODEGEN_VARIABLE, raising=False)
    generated = dict(lake.confs)

    def is_compiled() -> bool:
        assert not lake.is_idle()
        assert lake.confs == generated
        assert lake.built_with in (generated, tuning.NO_CODEGEN)
        return lake.built_with == generated

    # A first run reads everything.
    assert is_compiled()
    lake.versions["canal"] += 4
    assert not is_compiled()
    lake.versions["canal"] += 2
    lake.versions["debezium"] += 3
    assert is_compiled()
    for name, value in (("project", "changed"), ("relations", ["silver.canal_events"])):
        setattr(lake, name, value)
        lake.versions["canal"] += 1
        assert is_compiled()
    lake.versions["canal"] += 1
    monkeypatch.setenv(tuning.CODEGEN_VARIABLE, "true")
    assert is_compiled()
    # So does the first run after a change of the project.
    monkeypatch.delenv(tuning.CODEGEN_VARIABLE)
    lake.project, lake.versions = "changed again", {"canal": -1, "debezium": 3}
    assert not is_compiled()
    monkeypatch.setattr(BronzeTable, "landed_between", lambda *_: None)
    lake.project = "and again"
    assert is_compiled()


def test_a_dropped_relation_makes_a_run_not_idle(lake: PretendedLake) -> None:
    lake.is_idle()
    lake.relations.remove("current.t")
    assert not lake.is_idle()
    # The next run compares with the relations after the build.
    assert lake.is_idle()
    lake.relations.append("current.u")
    assert not lake.is_idle()


@pytest.mark.parametrize(
    "dropped", [Restored([], ["silver.operation_codes"]), Restored(["state.u"], []), "current.t"]
)
def test_everything_is_built_again_after_a_loss(
    lake: PretendedLake, dropped: Restored | str
) -> None:
    lake.is_idle()
    Marks("local").write(tables=["t"], silver="as it was")
    lake.versions["canal"] += 1
    assert not lake.is_idle() and lake.tables == {"t"}
    if isinstance(dropped, str):
        lake.relations.remove(dropped)
    else:
        lake.catalog_told = dropped
    assert not lake.is_idle()
    assert lake.tables == set() and Marks("local").checksum("silver") == ""


def test_events_that_were_built_anew_by_hand_make_a_run_not_idle(lake: PretendedLake) -> None:
    lake.is_idle()
    lake.events += 1
    assert not lake.is_idle()
    assert lake.is_idle()


def test_a_run_of_a_part_of_the_feeds_leaves_work_to_the_next_one(lake: PretendedLake) -> None:
    for _ in range(2):
        assert not lake.is_idle(FEEDS[:1])
    assert Marks("local").idle() == {}
    assert not lake.is_idle() and lake.is_idle()


def test_a_run_with_a_waiting_half_leaves_work_to_the_next_one(
    lake: PretendedLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    feeds = [Feed("s", "dataworks_streamx", ("s",))]
    monkeypatch.setattr(runner, "read_feeds", lambda target: feeds)
    lake.versions["dataworks_streamx"] = 1
    lake.waiting = [1]
    for _ in range(2):
        assert not lake.is_idle(feeds)
    assert Marks("local").idle() == {}
    lake.waiting = []
    assert not lake.is_idle(feeds) and lake.is_idle(feeds)


def test_a_resident_run_is_idle_after_a_build_that_left_nothing_to_do(
    lake: PretendedLake,
) -> None:
    def is_idle() -> bool:
        # This also replaces the session's queries.
        return runner.is_idle(lake, "local", FEEDS)  # pyright: ignore[reportArgumentType]

    assert not is_idle()
    for name, other in [
        ("project", "edited"),
        ("events", 8),
        ("versions", {**lake.versions, "canal": 9}),
    ]:
        lake.is_idle()
        assert is_idle()
        setattr(lake, name, other)
        assert not is_idle()
    # The half-done work of a failed build remains to be done, even if its cause is reverted.
    lake.is_idle()
    lake.project, before = "broken", lake.project
    lake.result = BuildResult([NodeResult("t", "model", "error", "no", 1)])
    lake.is_idle()
    lake.project = before
    assert not is_idle()


@pytest.mark.parametrize(("kind", "status"), [("model", "error"), ("test", "fail")])
def test_a_run_that_fails_leaves_work_to_the_next_one(
    lake: PretendedLake, kind: str, status: str
) -> None:
    lake.result = BuildResult([NodeResult("t", kind, status, "", 0)])
    for _ in range(2):
        assert not lake.is_idle()
    lake.result = BuildResult()
    assert not lake.is_idle() and lake.is_idle()


def test_ctrl_c_in_dbt_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = SimpleNamespace(exception=KeyboardInterrupt(), result=None)
    monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", lambda *_: outcome)
    project = dbt.Build(None, "local", lambda node: None)
    for call in (project.manifest, lambda: project.invoke("build")):
        with pytest.raises(KeyboardInterrupt):
            call()


def test_a_project_that_changes_while_it_lands_is_parsed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = ["as they were"]
    parsed: list[str] = []
    monkeypatch.setattr(dbt, "checksum_of", lambda *_: files[0])
    monkeypatch.setattr(dbt, "_parse", lambda target: parsed.append(target) or len(parsed))
    parsing = dbt.Parsing("local")
    parsing.begin()
    assert parsing.begin().result() == 1
    assert parsing.manifest() == parsing.manifest() == 1
    files[0] = "edited"
    assert parsing.manifest() == 2
    assert parsed == ["local", "local"]
    # Here begin() was not called.
    assert dbt.Parsing("sample").manifest() == 3


def event(name: str, status: str = "success", event: str = "NodeFinished") -> Any:
    """Return an event that dbt sends from a node's thread."""
    node = SimpleNamespace(unique_id=f"model.{name}", node_name=name, resource_type="model")
    result = SimpleNamespace(status=status, message="No\n  such table", execution_time=1.234)
    data = SimpleNamespace(node_info=node, run_result=result)
    return SimpleNamespace(info=SimpleNamespace(name=event), data=data)


def test_a_node_is_said_as_it_finishes_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    report = BuildReport(Terminal(file=out, width=20))
    node = SimpleNamespace(unique_id="model.late", name="late", resource_type="model")
    seen = SimpleNamespace(unique_id="model.a", name="a", resource_type="model")
    results = [
        SimpleNamespace(node=one, status="error", message="thread\ndied", execution_time=0.0)
        for one in (seen, node)
    ]

    def invoke(runner: Any, arguments: list[str]) -> Any:
        (said,) = runner.callbacks
        said(event("a", event="NodeStart"))
        said(event("a"))
        assert out.getvalue() == "  success  a  1.2 s\n"
        said(event("b[/]", "error"))
        assert out.getvalue().splitlines()[1:] == ["  error    b[/]  1.2 s: No such table"]
        return SimpleNamespace(exception=None, result=SimpleNamespace(results=results))

    monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", invoke)
    built = dbt.Build(None, "local", report.finished, object).invoke("build")
    assert [(one.name, one.status) for one in built.nodes] == [("a", "success"), ("late", "error")]
    assert out.getvalue().splitlines()[2:] == ["  error    late  0.0 s: thread died"]


def test_tables_are_built_side_by_side_as_the_setting_says(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[list[str]] = []

    def invoke(runner: Any, arguments: list[str]) -> Any:
        taken.append(arguments)
        return SimpleNamespace(exception=None, result=None)

    monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", invoke)
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    spark: Any = object()
    dbt.Build(spark, "local", lambda node: None).invoke("run", "--select", "a")
    assert taken[-1][-4:] == ["--threads", "16", "--select", "a"]
    monkeypatch.setenv("CHANGELAKE_THREADS", "3")
    dbt.Build(spark, "local", lambda node: None).invoke("run")
    assert taken[-1][-2:] == ["--threads", "3"]
    assert profile_target("local")["threads"] == 3
    # A server has its own cores.
    dbt.Build(None, "cluster", lambda node: None).invoke("run")
    assert "--threads" not in taken[-1]
    for wrong in ("0", "-1", "many", "1.5"):
        monkeypatch.setenv("CHANGELAKE_THREADS", wrong)
        with pytest.raises(UserError, match="CHANGELAKE_THREADS=.* from 1 to 99"):
            dbt.Build(spark, "local", lambda node: None).invoke("run")


def test_an_error_of_a_report_ends_the_command_and_not_a_thread_of_dbt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def invoke(runner: Any, arguments: list[str]) -> Any:
        runner.callbacks[0](event("a"))
        result = SimpleNamespace(node=SimpleNamespace(unique_id="model.a"))
        return SimpleNamespace(exception=None, result=SimpleNamespace(results=[result]))

    def report(node: NodeResult) -> None:
        raise KeyError(node.name)

    monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", invoke)
    with pytest.raises(KeyError):
        dbt.Build(None, "local", report, object).invoke("build")


def test_a_warning_of_the_project_is_said_once_in_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    report = BuildReport(Terminal(file=out, width=300))
    warning = SimpleNamespace(info=SimpleNamespace(name="JinjaLogWarning", msg="[a] is\nnot set"))

    def invoke(runner: Any, arguments: list[str]) -> Any:
        runner.callbacks[0](warning)
        return SimpleNamespace(exception=None, result=None)

    monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", invoke)
    build = dbt.Build(None, "local", report.finished, object, report.warned)
    for _ in range(2):
        build.invoke("build")
    assert out.getvalue() == "warning: [a] is not set\n"
    dbt.Build(None, "local", report.finished, object).invoke("build")


def test_a_model_that_holds_nothing_of_the_users_is_said_only_where_it_fails() -> None:
    out = io.StringIO()
    report = BuildReport(Terminal(file=out))
    report.leave_out({"a", "b"})
    report.finished(NodeResult("a", "model", "success", "", 0))
    report.finished(NodeResult("b", "model", "error", "no", 0))
    report.finished(NodeResult("c", "model", "success", "", 0))
    assert [line.split()[:2] for line in out.getvalue().splitlines()] == [
        ["error", "b"], ["success", "c"]
    ]  # fmt: skip
    assert [node.name for node in report.nodes] == ["a", "b", "c"]


def test_the_last_line_begins_with_what_failed() -> None:
    nodes = [
        NodeResult("n", kind, status, "", 0)
        for kind, status in [
            *[("model", "success")] * 14, *[("model", "error")] * 2, ("model", "skipped"),
            *[("test", "fail")] * 2, ("unit_test", "error"), ("test", "pass"), ("seed", "success"),
            ("operation", "success"), ("test", "warn"),
        ]
    ]  # fmt: skip
    assert outcome(nodes) == (
        "2 models failed, 1 model skipped, 3 tests failed, 1 test with warnings;"
        " 14 models built, 1 seed built, 1 test passed"
    )
    assert outcome([]) == "nothing built"


def test_an_interrupted_report_says_what_is_left_and_takes_no_cancelled_job_for_a_failure() -> None:
    out = io.StringIO()

    class Stop(threading.Event):
        """Becomes set with the first output."""

        def is_set(self) -> bool:
            return bool(out.getvalue())

    report = BuildReport(Terminal(file=out), Stop())
    assert report.left() == "events in silver, and the tables with pending changes"
    report.plan(list("abcdefgh"))
    report.finished(NodeResult("a", "model", "success", "", 0))
    report.finished(NodeResult("b", "model", "error", "Job 7 cancelled", 0))
    assert (outcome(report.nodes), "cancelled" in out.getvalue()) == ("1 model built", False)
    assert report.left() == "b, c, d, e, f and 2 more"
    # A table that is built again, for values that it could not hold.
    report.plan(["b", "a"])
    assert report.left() == "b, a"


class Command:
    """The command run.py, with a fake landing and a fake build."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, summary: Path) -> None:
        monkeypatch.setenv(settings.HOME_VARIABLE, str(summary.parent / "lake"))
        monkeypatch.syspath_prepend(str(SCRIPTS))
        self.app = runpy.run_path(str(SCRIPTS / "run.py"))["app"]
        self.summary = summary
        self.outcome: BuildResult | BaseException = BuildResult()
        self.landing: str | None = None
        self.signal: int | None = None
        self._monkeypatch = monkeypatch
        self.pretend(
            read_feeds=lambda target: FEEDS,
            spark_session=lambda *_, **__: None,
            release_catalog=lambda _: None,
            hold_catalog=contextlib.nullcontext,
            check_reachable=lambda _: None,
            land=self._land,
            build_pending=self._build,
            is_idle=lambda *_: False,
        )

    def pretend(self, module: ModuleType = one_run, **names: Any) -> None:
        """Replace these objects in a module, by default in that of a single run."""
        for name, called in names.items():
            self._monkeypatch.setattr(module, name, called)

    def _land(self, *_: Any, **__: Any) -> list[FeedResult]:
        results = [FeedResult("a", "canal", error=self.landing)]
        if self.landing:
            raise LandingError(results)
        return results

    def _build(self, *_: Any) -> BuildResult:
        if self.signal:
            os.kill(os.getpid(), self.signal)
            time.sleep(60)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def __call__(self) -> tuple[int, str, dict[str, Any]]:
        """Run it; return its exit code, output and summary."""
        done = CliRunner().invoke(
            self.app, ["--bootstrap-servers", "b:1", "--summary", str(self.summary)]
        )
        return done.exit_code, done.output, json.loads(self.summary.read_text())


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Command]:
    """The command."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    yield Command(monkeypatch, tmp_path / "summary" / "run.json")
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


class Resident:
    """Runs of run.py --every, in which a landing fails or a signal follows it."""

    def __init__(self, command: Command, runs: list[Exception | int | None]) -> None:
        self.command, self.runs = command, runs
        self.idle: list[bool] = []
        self.built = 0
        self.result = BuildResult([NodeResult("t", "model", "success", "", 1)])
        command.pretend(land=self._land, build_pending=self._build, is_idle=self._is_idle)

    def _land(self, *_: Any, **__: Any) -> list[FeedResult]:
        run = self.runs.pop(0) if self.runs else None
        if isinstance(run, Exception):
            raise run
        if run and self.command.signal is None:
            # By then the command waits for the next run.
            threading.Timer(0.4, os.kill, (os.getpid(), run)).start()
        return [FeedResult("a", "canal")]

    def _is_idle(self, *_: Any) -> bool:
        self.idle.append(self.built > 0)
        return self.idle[-1]

    def _build(self, *_: Any) -> BuildResult:
        self.built += 1
        if self.command.signal:
            os.kill(os.getpid(), self.command.signal)
            time.sleep(60)
        return self.result

    def __call__(self, every: str) -> tuple[int, list[str]]:
        """Run it; return its exit code and the lines of its output."""
        done = CliRunner().invoke(
            self.command.app, ["--bootstrap-servers", "b:1", "--every", every]
        )
        return done.exit_code, [line.strip() for line in done.output.splitlines()]


def test_a_resident_run_goes_on_without_a_broker_until_a_signal_comes(command: Command) -> None:
    lost = [UserError("no broker"), UserError("no broker"), UserError("no name")]
    resident = Resident(command, [None, *lost, None, signal.SIGTERM])
    code, said = resident("1 second")
    assert code == 0
    # A run without pending changes builds nothing and prints nothing.
    assert (resident.built, resident.idle[:3]) == (1, [False, True, True])
    assert [line for line in said if "built in" not in line] == [
        "error: no broker: retrying every 1 s",
        "error: no name: retrying every 1 s",
        "recovered",
    ]  # fmt: skip


def test_a_resident_run_says_a_feed_that_cannot_be_landed_once(command: Command) -> None:
    def failed(*reasons: str) -> LandingError:
        return LandingError([FeedResult("a", "canal", error=one) for one in reasons])

    runs = [failed("no topic"), failed("no topic"), failed("no topic"), failed("gone"), None]
    code, said = Resident(command, [*runs, None, signal.SIGTERM])("1 second")
    assert code == 0
    # the last line of the first run, which builds something, begins with the feed
    assert [re.sub(r" built in .*", " built", line) for line in said] == [
        "error: feed a: no topic",
        "error: feed a: no topic",
        "not landed in full: a; 1 model built",
        "error: feed a: gone",
        "not landed in full: a; nothing built",
        "all feeds are landed again",
    ]


def test_a_resident_run_goes_on_after_a_full_disk(command: Command) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/lake/x")
    code, said = Resident(command, [None, full, None, signal.SIGTERM])("1 second")
    assert code == 0
    assert "error: /lake/x: No space left on device: retrying every 1 s" in said
    assert said[-1] == "recovered"
    # A bug in the program does not go away by itself.
    assert Resident(command, [None, KeyError("x")])("1 second")[0] == 1


def test_a_resident_run_keeps_relative_paths(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("client.properties").write_text("ssl.truststore.location=trust.jks\n")
    found: list[str] = []

    def land(*_: Any, properties: dict[str, str], **__: Any) -> list[FeedResult]:
        found.append(properties["ssl.truststore.location"])
        os.chdir("/")  # as dbt does
        if len(found) == 2:
            command.signal = signal.SIGTERM
        return [FeedResult("a", "canal")]

    command.pretend(land=land)
    arguments = ["--bootstrap-servers", "b:1", "--kafka-properties", "client.properties"]
    done = CliRunner().invoke(command.app, [*arguments, "--every", "1 second"])
    assert done.exit_code == 143, done.output
    assert found == [str(tmp_path / "trust.jks")] * 2


def test_a_project_is_parsed_by_one_thread_also_where_landing_fails(command: Command) -> None:
    waited: list[bool] = []
    parsing = SimpleNamespace(begin=lambda: None, wait=lambda: waited.append(True), manifest=None)
    command.pretend(Parsing=lambda _: parsing)
    Resident(command, [UserError("no broker")])("1 day")
    assert waited == [True]


def test_a_resident_run_that_cannot_begin_ends(command: Command) -> None:
    code, said = Resident(command, [UserError("no broker")])("1 day")
    assert (code, said) == (1, ["error: no broker"])


def test_a_resident_run_ends_with_spark(command: Command) -> None:
    command.pretend(repeating, has_stopped=lambda: resident.built == 1)
    resident = Resident(command, [None, UserError("no session")])
    code, said = resident("1 second")
    assert (code, said[-1]) == (1, "error: no session")
    resident = Resident(command, [])
    resident.result = BuildResult([NodeResult("t", "model", "error", "stopped", 1)])
    code, said = resident("1 day")
    ended = f"error: Spark has stopped, and this command with it: see {log_file()}"
    assert (code, said[-1]) == (1, ended)


def test_a_signal_in_a_resident_run_says_what_is_left(command: Command) -> None:
    command.signal = signal.SIGTERM
    code, said = Resident(command, [])("1 day")
    assert (code, said[-2:]) == (
        143,
        [
            "interrupted: nothing built; what has landed stays",
            "left to the next run: events in silver, and the tables with pending changes",
        ],
    )


def test_a_signal_while_a_resident_run_looks_for_news_ends_it_well(command: Command) -> None:
    resident = Resident(command, [])

    def is_idle(*_: Any) -> bool:
        if resident.built:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        return False

    command.pretend(is_idle=is_idle)
    code, said = resident("1 second")
    assert (code, resident.built, len(said)) == (0, 1, 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--every", "10"], "error: --every 10: write numbers and units, like '10 seconds'"),
        (
            ["--every", "999 milliseconds"],
            "error: --every 999 milliseconds: give one second or more",
        ),
        (["--every", "1 day", "--select", "x"], "error: --every keeps the whole lake up to date"),
        (["--every", "1 day", "--retry-rejects"], "error: --every keeps the whole lake up to date"),
        (["--every", "1 day", "--feed", "x"], "error: --every keeps the whole lake up to date"),
        (
            ["--every", "1 day", "--target", "sample"],
            "error: --every keeps the whole lake up to date",
        ),
    ],
)
def test_what_a_resident_run_cannot_do(command: Command, arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(command.app, arguments)
    assert done.exit_code == 1
    assert said in " ".join(done.output.split())


def test_brackets_and_rejects_are_said(command: Command) -> None:
    command.outcome = BuildResult(
        [NodeResult("[t]", "model", "error", "no", 1)],
        [Rejected("a", "not_utf8", 2)],
        [Unreadable("a", "canal", "not_utf8")],
    )
    command.landing = "feed a: [KAFKA_X] lost [/red]"
    code, said, summary = command()
    assert (code, summary["exit_code"]) == (3, 3)
    assert "failed model [t]: the reasons are above\n" in said
    # first at once, then at the end
    assert said.count("error: feed a: [KAFKA_X] lost [/red]\n") == 2
    assert "rejected 2 messages of a: not_utf8\n" in said
    assert (
        "no message of a could be parsed yet, most of them for not_utf8: if its format is not"
        " canal, replace its line in seeds/feeds.csv by one with the right format and another feed"
        " name\n"
    ) in said
    assert said.splitlines()[-1].startswith("not landed in full: a; 1 model failed in ")
    assert summary["rejected"] == [{"feed": "a", "reason": "not_utf8", "messages": 2}]


def test_what_did_not_land_is_said_once_where_nothing_is_built(command: Command) -> None:
    command.landing = "feed a: lost"
    code, said, _ = command()
    assert (code, said.count("error: feed a: lost\n")) == (3, 1)
    assert said.splitlines()[-1].startswith("not landed in full: a; ")


def test_what_an_earlier_run_has_asked_is_said_and_fails_no_schedule(command: Command) -> None:
    command.outcome = BuildResult(open=["t: [a] is b"])
    code, said, summary = command()
    assert (code, summary["asked"]) == (0, [])
    assert said.splitlines()[-2:] == ["1 decision is open since an earlier run:", "  t: [a] is b"]
    command.outcome = BuildResult(asked=["u: new"], open=[f"t{one}: open" for one in range(7)])
    code, said, _ = command()
    assert code == 6
    assert said.splitlines()[-8:-5] == [
        "decide u: new", "7 decisions are open since an earlier run:", "  t0: open",
    ]  # fmt: skip
    assert said.splitlines()[-1] == "  and 2 more"


def test_a_build_that_cannot_begin_hides_no_landing(command: Command) -> None:
    command.outcome, command.landing = UserError("dbt: broken"), "feed a: lost"
    code, said, summary = command()
    assert (code, summary["error"]) == (1, "feed a: lost\ndbt: broken")
    assert "error: feed a: lost\nerror: dbt: broken\n" in said


@pytest.mark.parametrize(
    ("error", "expected", "text"),
    [(KeyboardInterrupt(), 130, "interrupted"), (KeyError("x"), 1, "KeyError('x')")],
)
def test_the_summary_has_an_exit_code(
    command: Command, error: BaseException, expected: int, text: str
) -> None:
    command.outcome = error
    code, _, summary = command()
    assert (code, summary["exit_code"], summary["error"]) == (expected, expected, text)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_says_what_is_left(command: Command, number: int, code: int) -> None:
    command.signal = number
    found, said, summary = command()
    assert (found, summary["exit_code"]) == (code, code)
    assert said.splitlines()[-2:] == [
        "interrupted: nothing built; what has landed stays",
        "left to the next run: events in silver, and the tables with pending changes",
    ]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_when_all_is_done_has_its_exit_code(
    command: Command, number: int, code: int
) -> None:
    costs = SimpleNamespace(add=lambda *_: os.kill(os.getpid(), number), close=lambda: None)
    command.pretend(recorded_runs, RunCosts=lambda _: costs)
    assert CliRunner().invoke(command.app, []).exit_code == code


def test_what_a_process_does_after_an_interrupted_command_is_left_alone(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Context:
        cancelled = 0

        def cancelAllJobs(self) -> None:  # noqa: N802 - Spark's name
            self.cancelled += 1

    context = Context()
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", context)
    # The fake has no Java to ask.
    monkeypatch.setattr(costs, "_cpu_seconds", lambda: (0.0, 0.0))
    command.signal = signal.SIGINT
    command()
    # The thread may still be in its last round, which can be long on a busy machine.
    for thread in threading.enumerate():
        if thread.name == "cancel":
            thread.join(30)
            assert not thread.is_alive()
    seen = context.cancelled
    time.sleep(3 * CANCEL_SECONDS)
    assert context.cancelled == seen


def test_an_interrupt_while_spark_starts_ends_the_runs(command: Command) -> None:
    """Spark's own handler raises it, which has the signal until the session is there."""
    starts = iter([KeyboardInterrupt()])

    def spark_session(*_: Any, **__: Any) -> None:
        raise next(starts, UserError("started again"))

    command.pretend(spark_session=spark_session)
    done = CliRunner().invoke(command.app, ["--bootstrap-servers", "b:1", "--every", "1 second"])
    assert "started again" not in done.output
    assert done.exit_code == 0


def test_a_second_signal_ends_at_once() -> None:
    program = (
        "import sys, time\n"
        "from changelake.spark.interrupts import Interrupts\n"
        "Interrupts().listen()\n"
        "for said in ('ready', 'interrupted'):\n"
        "    try:\n"
        "        print(said, flush=True)\n"
        "        time.sleep(60)\n"
        "    except KeyboardInterrupt: pass\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        text=True,
    )
    assert process.stdout
    for due in ("ready\n", "interrupted\n"):
        assert process.stdout.readline() == due
        process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130


def test_an_interrupt_while_java_starts_leaves_no_java(tmp_path: Path) -> None:
    program = (
        "from changelake.spark.session import spark_session\n"
        "try: spark_session('interrupted', 'local', hive=False)\n"
        "except KeyboardInterrupt: print('interrupted')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS), settings.HOME_VARIABLE: str(tmp_path)},
        text=True,
        start_new_session=True,
    )
    while not (java := list(_javas(process.pid))) and process.poll() is None:
        time.sleep(0.01)
    assert java
    # until it reads its settings, but does not listen yet
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    # Java has the other end of this pipe too.
    assert process.communicate(timeout=60) == ("interrupted\n", None)


def _javas(group: int) -> Iterator[int]:
    """Yield the Java processes of a process group."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number, _, rest = file.read_text().partition(" (java) ")
            # the first one only says how to start Spark's
            is_spark = b"launcher.Main" not in file.with_name("cmdline").read_bytes()
            if rest and is_spark and int(rest.split()[2]) == group:
                yield int(number)


def test_an_empty_list_of_brokers_is_an_error(command: Command) -> None:
    command.pretend(check_reachable=check_reachable)
    done = CliRunner().invoke(command.app, ["--bootstrap-servers", ""])
    assert done.exit_code == 1
    said = f"--bootstrap-servers, or {SERVERS_VARIABLE}, is empty: write HOST:PORT[,HOST:PORT]"
    assert done.output == f"error: {said}\n"


def test_settings_of_kafka_that_nothing_takes_are_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SERVERS_VARIABLE, raising=False)
    done = CliRunner().invoke(command.app, ["--kafka-properties", "client.properties"])
    assert done.exit_code == 1
    assert done.output.startswith("error: --kafka-properties goes with --bootstrap-servers")
    done = CliRunner().invoke(command.app, ["--feed", "a", "--select", "current"])
    assert done.exit_code == 1
    assert done.output.startswith(
        "error: --feed names a feed to land, and --select without brokers"
    )


def test_a_run_without_news_says_no_more(command: Command) -> None:
    code, said, _ = command()
    assert (code, said) == (0, "nothing new to land\n")


def test_the_last_line_of_a_run_begins_with_the_failures(command: Command) -> None:
    command.outcome = BuildResult(
        [
            NodeResult("a", "model", "success", "", 1),
            *(NodeResult(f"b{one}", "model", "error", "why", 1) for one in range(21)),
            NodeResult("c", "model", "skipped", "", 0),
            NodeResult("t", "test", "fail", "why", 1),
        ]
    )
    code, said, _ = command()
    # The reason was printed when the node failed.
    named = ", ".join(f"model b{one}" for one in range(20))
    assert (code, "why" in said) == (4, False)
    assert said.splitlines()[-2] == f"failed {named} and 2 more: the reasons are above"
    assert said.splitlines()[-1].startswith(
        "21 models failed, 1 model skipped, 1 test failed; 1 model built in "
    )


def test_brokers_and_the_samples_do_not_go_together(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for target, code in (("sample", 1), ("local", 0)):
        done = CliRunner().invoke(command.app, ["--target", target, "--bootstrap-servers", "b:1"])
        assert done.exit_code == code
    # An empty variable is not the same as a missing one.
    monkeypatch.setenv("CHANGELAKE_KAFKA_BOOTSTRAP_SERVERS", "")
    asked: list[str] = []
    command.pretend(check_reachable=asked.append)
    CliRunner().invoke(command.app, [])
    assert asked == [""]


def test_the_summary_is_tried_first(command: Command, tmp_path: Path) -> None:
    (tmp_path / "summary").touch()
    done = CliRunner().invoke(command.app, ["--summary", str(command.summary)])
    assert done.exit_code == 1
    assert done.output.startswith("error: --summary ") and "cannot be written" in done.output


def test_a_run_says_once_a_day_that_upkeep_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    now = 1_800_000_000.0
    monkeypatch.setattr(time, "time", lambda: now)
    marks = Marks("local")
    assert due_upkeep(marks, {}) == ""
    assert due_upkeep(marks, {"canal": 5, "debezium": DUE_AFTER_COMMITS - 1}) == ""
    due = "bronze.debezium has 2,000 commits and has had no upkeep: run scripts/maintain.py"
    assert due_upkeep(marks, {"canal": 5, "debezium": DUE_AFTER_COMMITS}) == due
    assert due_upkeep(marks, {"canal": 5, "debezium": DUE_AFTER_COMMITS + 1}) == ""
    marks.forget()
    now += 8 * 24 * 3600
    due = "no upkeep in 8 days: run scripts/maintain.py"
    assert due_upkeep(Marks("local"), {"canal": 5}) == due
    marks = Marks("local")
    marks.write(upkeep={"at": now, "bronze": {"canal": 5_000}, "told_at": 0})
    assert due_upkeep(marks, {"canal": 5_000 + DUE_AFTER_COMMITS - 1}) == ""
