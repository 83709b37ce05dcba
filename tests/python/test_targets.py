"""What each target includes: only target sample has the samples."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from changelake.core.errors import UserError
from changelake.query.sql import ServerQueries
from changelake.spark.thrift import ThriftCatalog, ThriftRows
from processes import SCRIPTS

PROJECT = Path(__file__).resolve().parents[2]
# The kinds of nodes that depend on the sample seeds.
KINDS = {"model", "seed", "snapshot", "test", "unit_test"}


def parsed(target: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the manifest of the project itself; dbt's output goes elsewhere."""
    # dbt changes the working directory, which would affect later tests.
    monkeypatch.chdir(PROJECT)
    monkeypatch.setenv("CHANGELAKE_HOME", str(directory / "lake"))
    place = ["--target-path", str(directory / "target"), "--log-path", str(directory / "logs")]
    outcome = dbtRunner().invoke(
        [
            "--quiet",
            "--log-level",
            "none",
            "parse",
            "--no-partial-parse",
            "--target",
            target,
            *place,
        ]
        + ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    )
    assert outcome.success, outcome.exception
    return outcome.result


def of_samples(manifest: Any) -> dict[str, set[str]]:
    """Return, by kind, enabled nodes in a folder of samples, and snapshots and unit tests."""
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for node in [*manifest.nodes.values(), *manifest.unit_tests.values()]:
        kind = str(node.resource_type)
        is_sample = "samples" in Path(node.original_file_path).parts
        # The test of a disabled node stays in the manifest but is not run.
        if node.config.enabled and (is_sample or kind in ("snapshot", "unit_test")):
            found[kind].add(node.name)
    return found


@pytest.mark.thorough
def test_the_samples_are_those_of_target_sample_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = parsed("local", tmp_path / "local", monkeypatch)
    assert of_samples(local) == {kind: set() for kind in KINDS}
    names = {node.name for node in local.nodes.values()}
    assert {"feeds", "operation_codes", "canal_events", "change_events"} <= names
    (feeds,) = (node for node in local.nodes.values() if node.name == "feeds")
    assert feeds.original_file_path == os.path.join("seeds", "feeds.csv")

    found = of_samples(parsed("sample", tmp_path / "sample", monkeypatch))
    for kind, folder, end in (
        ("model", "models", "sql"), ("seed", "seeds", "csv"), ("snapshot", "snapshots", "*"),
    ):  # fmt: skip
        files = {file.stem for file in (PROJECT / folder).glob(f"**/samples/*.{end}")}
        assert files and found[kind] == {one for one in files if one[0] != "_"}
    assert all(found.values())


@pytest.mark.parametrize(("script", "arguments"), [("run.py", ()), ("onboard.py", ("--all",))])
def test_a_thrift_server_that_is_down_is_said_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, arguments: tuple[str, ...]
) -> None:
    feeds = tmp_path / "feeds.csv"
    feeds.write_text("feed,topics,topic_pattern,format,time_zone\nshop,shop,,canal,\n")
    monkeypatch.setenv("CHANGELAKE_FEEDS", str(feeds))
    monkeypatch.setenv("CHANGELAKE_HOME", str(tmp_path / "lake"))
    monkeypatch.setenv("CHANGELAKE_THRIFT_HOST", "127.0.0.1")
    with socket.socket() as closed:
        # bound, but not listening
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("CHANGELAKE_THRIFT_PORT", str(closed.getsockname()[1]))
        done = subprocess.run(
            [sys.executable, SCRIPTS / script, *arguments, "--target", "cluster"],
            capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: the Thrift server at 127.0.0.1:"), done.stderr
    assert not (tmp_path / "lake" / "spark").exists()


class Cursor:
    """A PyHive cursor at a server that goes down after some statements."""

    description = [("namespace", "STRING_TYPE", None)]

    def __init__(self, server: "Server") -> None:
        self._server, self._rows = server, list[tuple[str, ...]]()

    def execute(self, statement: str) -> None:
        self._server.said.append(statement)
        self._rows = self._server.answers.pop(0)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        yield from self._rows
        if not self._server.answers:
            raise BrokenPipeError("Broken pipe")


class Server:
    """A PyHive connection."""

    def __init__(self, *answers: list[tuple[str, ...]]) -> None:
        self.answers, self.said = list(answers), list[str]()

    def cursor(self) -> Cursor:
        return Cursor(self)


def test_an_incomplete_answer_of_a_thrift_server_is_an_error() -> None:
    schemas = [("silver",), ("default",)]
    server = Server(schemas, [("silver", "x")], [])
    there = ThriftCatalog(server).relations(["silver", "state"])
    assert there == [("silver", "x")]
    assert server.said == ["show schemas", "show tables in `silver`"]
    for answers in ([], [schemas], [schemas, [("silver", "x")]]):
        with pytest.raises(UserError):
            ThriftCatalog(Server(*answers)).relations(["silver", "state"])


def test_a_thrift_server_that_goes_down_while_it_sends_rows_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UserError, match="Broken pipe"):
        ThriftRows(_executed([("a",)])).collect()
    for statement, answers in (("show schemas", 1), ("select 1", 2)):
        lake: Any = ServerQueries.__new__(ServerQueries)
        lake.session = SimpleNamespace(connection=Server(*[[('{"namespace":"a"}',)]] * answers))
        _, lines = lake.run(statement)
        with pytest.raises(UserError, match="Broken pipe"):
            list(lines)


def _executed(rows: list[tuple[str, ...]]) -> Cursor:
    cursor = Server(rows).cursor()
    cursor.execute("select")
    return cursor
