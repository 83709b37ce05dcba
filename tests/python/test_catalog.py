"""Commands that find the catalog in use by another process."""

import fcntl
import getpass
import os
import runpy
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyhive import hive

from changelake.core.errors import UserError
from changelake.core.settings import HOME_VARIABLE
from changelake.kafka.broker import free_port
from changelake.runs.options import Options
from changelake.spark import derby as catalog
from changelake.spark import serving
from changelake.spark.derby import (
    DERBY_URL,
    derby_directory,
    derby_is_taken,
    hold_catalog,
    made_by_one,
    release_catalog,
)
from changelake.spark.serving import LakeServer, Served, check_not_served, served_lake
from changelake.spark.thrift import connect
from processes import SCRIPTS, WAITS

# takes the same lock as Derby does in Java
HOLD = """
import fcntl, sys
lock = open(sys.argv[1], "w+b")
fcntl.lockf(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def derby(tmp_path: Path) -> dict[str, str]:
    """The configuration of a catalog in Derby."""
    return {DERBY_URL: f"jdbc:derby:;databaseName={tmp_path};create=true"}


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the catalog; it ends when its input does."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "dbex.lck")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout and process.stdout.readline() == "held\n"
        yield process


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print the message and retry without the usual delays."""
    monkeypatch.setattr(catalog, "SILENT_SECONDS", 0.0)
    monkeypatch.setattr(catalog, "RETRY_SECONDS", 0.01)


def test_waits_for_another_process(
    derby: dict[str, str], other: subprocess.Popen[str], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert derby_is_taken(tmp_path)
    assert other.stdin
    threading.Timer(0.3, other.stdin.close).start()
    catalog.wait_for_derby(derby, 60)
    assert not derby_is_taken(tmp_path)
    assert capsys.readouterr().err == WAITS


def test_waits_no_longer_than_it_may(
    derby: dict[str, str], other: subprocess.Popen[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError, match="^the catalog is still in use .* after 0 s: end that"):
        catalog.wait_for_derby(derby, 0.1)
    assert capsys.readouterr().err == WAITS


def test_does_not_wait_where_waiting_is_of_no_use(
    derby: dict[str, str], other: subprocess.Popen[str]
) -> None:
    looks = iter([None, UserError("the lake is served")])

    def check() -> None:
        if error := next(looks):
            raise error

    with pytest.raises(UserError, match="^the lake is served"):
        catalog.wait_for_derby(derby, 60, check)


def test_a_free_catalog_is_not_waited_for(
    derby: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalog.wait_for_derby(derby, 0)
    (tmp_path / "dbex.lck").touch()
    catalog.wait_for_derby(derby, 0)
    catalog.wait_for_derby({}, 0)
    assert capsys.readouterr().err == ""


def test_tries_again_what_finds_the_catalog_taken(capsys: pytest.CaptureFixture[str]) -> None:
    taken = ["ERROR XSDB6: Another instance of Derby may have booted it"] * 3

    def action() -> str:
        if taken:
            raise RuntimeError(taken.pop())
        return "done"

    assert catalog.with_catalog(action, 60) == "done"
    assert capsys.readouterr().err == WAITS


def test_a_session_does_not_wait_for_a_server_that_has_the_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    url = f"jdbc:derby:;databaseName={tmp_path}/metastore_db;create=true"
    context = SimpleNamespace(getConf=lambda: {DERBY_URL: url})

    def taken(_: Any) -> None:
        raise RuntimeError("ERROR XSDB6: Another instance of Derby may have booted it")

    monkeypatch.setattr(catalog, "open_catalog", taken)
    file = tmp_path / "served.json"
    file.write_text('{"port": 10000, "process": 7}')
    with file.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with (
            pytest.raises(UserError, match="^the lake is served by process 7"),
            hold_catalog(SimpleNamespace(sparkContext=context), 60),
        ):
            pass


def test_what_else_goes_wrong_is_not_tried_again() -> None:
    calls = []

    def action() -> None:
        calls.append(1)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        catalog.with_catalog(action, 60)
    assert len(calls) == 1


@pytest.mark.e2e
def test_a_session_has_the_catalog_while_it_is_held_alone(spark: Any) -> None:
    url = spark.sparkContext.getConf().get(DERBY_URL)
    directory = derby_directory({DERBY_URL: url})
    assert directory
    before = [row.namespace for row in spark.sql("show schemas").collect()]
    for _ in range(2):
        release_catalog(spark)
        assert not derby_is_taken(directory)
        with hold_catalog(spark):
            assert derby_is_taken(directory)
            assert [row.namespace for row in spark.sql("show schemas").collect()] == before
        assert not derby_is_taken(directory)
    # Without hold_catalog(), a session keeps the catalog from its first query on.
    assert spark.catalog.databaseExists("default")
    assert derby_is_taken(directory)


def test_a_lake_is_served_while_its_server_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    assert served_lake() is None
    file = tmp_path / "served.json"
    file.write_text('{"port": 10000, "process": 7}')
    # what a server that was killed leaves behind
    assert served_lake() is None
    check_not_served()
    with file.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert served_lake() == Served(10000, 7)
        with pytest.raises(UserError, match=r"^the lake is served by process 7, run\.py "):
            check_not_served()
        # a server that is about to start
        file.write_text("")
        assert served_lake() is None
    monkeypatch.setenv(HOME_VARIABLE, "s3a://bucket/lake")
    assert served_lake() is None
    with pytest.raises(UserError, match="^--serve needs a lake in a local directory: CHANGELAKE_"):
        LakeServer(free_port())


def test_a_server_waits_for_a_command_that_looks_whether_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(serving, "_LOCK_SECONDS", 0.2)
    server, spark = LakeServer(free_port()), cast("Any", None)
    monkeypatch.setattr(LakeServer, "_start", lambda *_: None)
    (tmp_path / "served.json").touch()
    with (tmp_path / "served.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        with pytest.raises(UserError, match="another process is starting to serve this lake"):
            server.begin(spark)
        threading.Timer(0.1, fcntl.flock, (lock, fcntl.LOCK_UN)).start()
        assert server.begin(spark)
        one = served_lake()
        assert one and one.process == os.getpid()
        assert not server.begin(spark)


def test_a_query_that_waits_for_the_catalog_goes_to_the_server_that_takes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = runpy.run_path(str(SCRIPTS / "sql.py"))["_queries"].__globals__
    found = iter([None, Served(10000, 7)])

    def embedded(_: str) -> None:
        raise UserError("the lake is served by process 7")

    monkeypatch.setitem(names, "served_lake", lambda: next(found, None))
    monkeypatch.setitem(names, "EmbeddedQueries", embedded)
    monkeypatch.setitem(names, "ServerQueries", lambda served: served)
    assert names["_queries"]("local") == Served(10000, 7)
    with pytest.raises(UserError, match="^the lake is served"):
        names["_queries"]("local")


def test_a_served_lake_needs_no_user_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 12345")

    monkeypatch.setattr(getpass, "getuser", nobody)
    monkeypatch.setattr(hive, "connect", lambda **options: options)
    assert connect(Served(10000, 7))["port"] == 10000


def test_a_server_needs_a_port_of_its_own_and_a_run_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"^--serve {port}: the port cannot be used: Address"):
            LakeServer(port)

    def options(target: str, every: str | None) -> Options:
        return Options(
            target=target, bootstrap_servers=None, feeds=[], select=[], retry_rejects=False,
            serve=port, every=every, properties_file=None,
        )  # fmt: skip

    assert options("local", "5 seconds").serve == port
    with pytest.raises(UserError, match="^--serve goes with --every"):
        options("local", None)
    with pytest.raises(UserError, match="^--serve serves an embedded lake"):
        options("cluster", "5 seconds")


def test_one_process_makes_the_catalog(tmp_path: Path) -> None:
    directory = tmp_path / "metastore_db"
    done: list[str] = []

    def other() -> None:
        with made_by_one(directory):
            done.append("the other")

    with made_by_one(directory):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.5)
        assert done == []
        directory.mkdir()
        (directory / "service.properties").touch()
        # What is there already is opened as ever.
        other()
        assert done == ["the other"]
    thread.join(10)
    assert done == ["the other"] * 2
