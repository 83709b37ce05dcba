"""What a build and its command note and say, with a dbt that only pretends."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from changelake import build, settings
from changelake.build import BuildResult, NodeResult, Rejected, build_news
from changelake.errors import UserError
from changelake.feeds import Feed
from changelake.landing import FeedResult, LandingError

FEEDS = [Feed("a", "canal", ("a",)), Feed("b", "debezium", ("b",))]


class Project(build.Build):
    """Two formats with two tables, of which one cannot be built."""

    def invoke(self, command: str, *arguments: str) -> BuildResult:
        """Build silver, or the tables."""
        if "good" not in arguments:
            return BuildResult()
        return BuildResult(
            [
                NodeResult("good", "model", "success", "", 0),
                NodeResult("bad", "model", "error", "", 0),
            ]
        )

    def formats(self) -> set[str]:
        """Return the formats."""
        return {"canal", "debezium"}

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the tables."""
        return {
            "good": {"events": "canal_events", "feeds": ["a"]},
            "bad": {"events": "debezium_events", "feeds": ["no_such_feed"]},
        }

    def tables_with_news(self, built: dict[str, int], known: Any, without: Any) -> list[str]:
        """Return all tables."""
        return ["bad", "good"]

    def last_batches(self, without: Any) -> dict[str, int]:
        """Return a batch of each format."""
        return {"canal_events": 7, "debezium_events": 8}


def test_a_table_that_fails_keeps_no_other_format_from_being_marked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(build, "Build", Project)
    monkeypatch.setattr(build, "read_feeds", lambda target: FEEDS)
    with (tmp_path / "log").open("w") as log:
        built = build_news(None, "local", FEEDS, Console(file=log))
    assert [node.name for node in built.failed] == ["bad"]
    assert "seeds/feeds.csv does not have no_such_feed, of which no rows come for bad" in " ".join(
        (tmp_path / "log").read_text().split()
    )
    assert build.Marks("local").batches() == {"canal_events": 7}
    assert build.Marks("local").tables() == {"good"}


def test_ctrl_c_in_dbt_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = SimpleNamespace(exception=KeyboardInterrupt(), result=None)
    monkeypatch.setattr("dbt.cli.main.dbtRunner.invoke", lambda *_: outcome)
    project = build.Build(None, "local", lambda node: None)
    for call in (project.parse, lambda: project.invoke("build")):
        with pytest.raises(KeyboardInterrupt):
            call()


class Command:
    """The command run.py, with a landing and a build that only pretend."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, summary: Path) -> None:
        monkeypatch.setenv(settings.HOME_VARIABLE, str(summary.parent / "lake"))
        monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
        self.names = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "run.py"))
        self.summary = summary
        self.outcome: BuildResult | BaseException = BuildResult()
        self.landing: str | None = None
        self.names["land_and_build"].__globals__.update(
            read_feeds=lambda target: FEEDS,
            spark_session=lambda *_, **__: None,
            check_reachable=lambda _: None,
            land=self._land,
            build_news=self._build,
        )

    def _land(self, *_: Any, **__: Any) -> list[FeedResult]:
        results = [FeedResult("a", "canal", error=self.landing)]
        if self.landing:
            raise LandingError(results)
        return results

    def _build(self, *_: Any) -> BuildResult:
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def __call__(self) -> tuple[int, str, dict[str, Any]]:
        """Run it; return its exit code, what it says and its summary."""
        done = CliRunner().invoke(
            self.names["app"], ["--bootstrap-servers", "b:1", "--summary", str(self.summary)]
        )
        return done.exit_code, done.output, json.loads(self.summary.read_text())


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """The command."""
    return Command(monkeypatch, tmp_path / "summary" / "run.json")


def test_brackets_and_rejects_are_said(command: Command) -> None:
    command.outcome = BuildResult(
        [NodeResult("t", "model", "error", "[DELTA_X] no [/]", 1)], [Rejected("a", "not_utf8", 2)]
    )
    command.landing = "feed a: [KAFKA_X] lost [/red]"
    code, said, summary = command()
    assert (code, summary["exit_code"]) == (3, 3)
    assert "model t: [DELTA_X] no [/]\n" in said
    assert "error: feed a: [KAFKA_X] lost [/red]\n" in said
    assert "rejected 2 messages of a: not_utf8\n" in said
    assert summary["rejected"] == [{"feed": "a", "reason": "not_utf8", "messages": 2}]


def test_a_build_that_cannot_begin_hides_no_landing(command: Command) -> None:
    command.outcome, command.landing = UserError("dbt: broken"), "feed a: lost"
    code, said, summary = command()
    assert (code, summary["error"]) == (1, "feed a: lost\ndbt: broken")
    assert "error: feed a: lost\nerror: dbt: broken\n" in said


@pytest.mark.parametrize(("error", "expected"), [(KeyboardInterrupt(), 130), (KeyError("x"), 1)])
def test_the_summary_has_an_exit_code(
    command: Command, error: BaseException, expected: int
) -> None:
    command.outcome = error
    code, _, summary = command()
    assert (code, summary["exit_code"], summary["error"]) == (expected, expected, repr(error))


def test_the_summary_is_tried_first(command: Command, tmp_path: Path) -> None:
    (tmp_path / "summary").touch()
    done = CliRunner().invoke(command.names["app"], ["--summary", str(command.summary)])
    assert done.exit_code == 1
    assert done.output.startswith("error: --summary ") and "cannot be written" in done.output


@pytest.mark.parametrize(
    ("meta", "missing"),
    [
        ({"feed": ["a"], "table": "t"}, "feeds"),
        ({"feeds": ["a"]}, "table"),
        ({"feeds": ["a"], "shards": "t_.*"}, ""),
    ],
)
def test_a_meta_that_lacks_something_is_named(meta: dict[str, Any], missing: str) -> None:
    assert build._missing(meta) == missing
