"""All commands on a cluster whose processes get killed, compared with an embedded lake."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from standalone import IVY_FILE, JARS, WORKERS, Standalone

from changelake.core import settings
from changelake.spark import jars
from processes import copy_with_scripts, kill_java
from python.conftest import TopicMaker
from streams import Source, work

FEED = "shop"
# Columns in which a run records its own times, batches and files.
OF_A_RUN = {
    "landed_at", "landed_date", "parse_batch", "parsed_at", "_batch", "first_batch", "last_batch",
    "last_complete_batch", "last_landed_at", "newest_landed_at", "newest_parsed_at",
    "bronze_version", "last_complete_moment", "last_moment",
}  # fmt: skip
# These only show how long runs took.
TIMES = {"silver.lag", "silver.run_costs"}
SCHEMAS = ("bronze", "silver", "state", "current", "history")
WAIT_SECONDS = 240.0


class Lake:
    """A lake on the cluster or on this machine, and the scripts run against it."""

    def __init__(self, repo: Path, target: str, broker: str, environment: dict[str, str]) -> None:
        self.repo, self.target, self.broker = repo, target, broker
        self._environment = environment

    def start(self, script: str, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command."""
        command = [sys.executable, str(self.repo / "scripts" / script), *arguments]
        return subprocess.Popen(
            [*command, "--target", self.target], env={**os.environ, **self._environment}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def call(self, script: str, *arguments: str, text: str = "") -> str:
        """Run a command that must succeed, and return its output."""
        process = self.start(script, *arguments)
        said, _ = process.communicate(text)
        assert process.returncode == 0, said
        return said

    def run(self) -> str:
        """Land and build."""
        return self.call("run.py", "--bootstrap-servers", self.broker)

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Query the lake."""
        lines = self.call("sql.py", "--format", "json", text=sql).splitlines()
        return [json.loads(line) for line in lines]

    def tables(self) -> dict[str, list[str]]:
        """Return the rows of every table and view, without what a run records about itself."""
        listed = self.query(";".join(f"show tables in {one}" for one in SCHEMAS))
        names = sorted({f"{one['namespace']}.{one['tableName']}" for one in listed} - TIMES)
        rows = self.query(
            ";".join(
                f"select '{one}' as relation, to_json(struct(*)) as row from {one}" for one in names
            )
        )
        found: dict[str, list[str]] = {one: [] for one in names}
        for one in rows:
            row = {k: v for k, v in json.loads(one["row"]).items() if k not in OF_A_RUN}
            found[one["relation"]].append(json.dumps(row, sort_keys=True))
        return {name: sorted(lines) for name, lines in found.items()}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A running cluster."""
    jars.fetch(JARS, IVY_FILE)
    one = Standalone(tmp_path_factory.mktemp("cluster"))
    with pytest.MonkeyPatch.context() as environment:
        for name, value in one.environment().items():
            environment.setenv(name, value)
        try:
            one.start()
            one.start_thrift()
            yield one
        finally:
            one.stop()


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one feed of two topics."""
    return copy_with_scripts(tmp_path_factory.mktemp("repo") / "repo", f"{FEED},keyed bag,,canal,")


@pytest.fixture
def on_cluster(cluster: Standalone, repo: Path, broker: str) -> Lake:
    """The commands, run on the cluster."""
    assert cluster.thrift
    return Lake(repo, "cluster", broker, {})


@pytest.fixture(scope="module")
def embedded(
    cluster: Standalone, repo: Path, broker: str, tmp_path_factory: pytest.TempPathFactory
) -> Lake:
    """The commands, run on this machine alone."""
    home = {settings.HOME_VARIABLE: str(tmp_path_factory.mktemp("embedded"))}
    own = dict.fromkeys(cluster.environment(), "") | {"CHANGELAKE_SPARK_MASTER": "local[*]"}
    return Lake(repo, "local", broker, own | home)


class Shop:
    """The feed's source tables."""

    def __init__(self) -> None:
        columns: dict[str, str | None] = {
            "id": "bigint",
            "name": "varchar(9)",
            "note": "varchar(40)",
        }
        self._keyed = Source("keyed", "canal", columns, ["id"])
        self._bag = Source("bag", "canal", {"id": "int", "name": "varchar(9)"}, [])
        self._chance = random.Random(13)

    def publish(self, topic: TopicMaker, steps: int) -> None:
        """Change the tables and send the messages."""
        for source in (self._keyed, self._bag):
            work(source, self._chance, steps)
            for message in source.land():
                topic.publish(source.name, 1, key=message.key, value=message.value)


@pytest.fixture(scope="module")
def shop() -> Shop:
    """The feed's source tables."""
    return Shop()


def test_a_cluster_makes_what_one_machine_makes(
    on_cluster: Lake, embedded: Lake, topic: TopicMaker, shop: Shop
) -> None:
    for name in ("keyed", "bag"):
        topic.create(name)
    topic.publish("keyed", 1, value=b"{")
    shop.publish(topic, 60)
    assert "rejected 1 message of shop: malformed_json" in on_cluster.run()
    said = on_cluster.call("onboard.py", "--all")
    assert said.count("written ") == 8, said
    on_cluster.run()
    embedded.run()
    assert "written " not in embedded.call("onboard.py", "--all")
    compare(on_cluster, embedded)


def test_a_run_without_news_builds_nothing(on_cluster: Lake) -> None:
    assert "nothing new has landed since the last run" in on_cluster.run()


def test_a_killed_executor_changes_nothing(
    cluster: Standalone, on_cluster: Lake, embedded: Lake, topic: TopicMaker, shop: Shop
) -> None:
    shop.publish(topic, 60)
    # The executors of the last command's landing end a moment after the command.
    wait_for(lambda: len(cluster.executors()) == WORKERS)
    of_server = cluster.executors()
    process = on_cluster.start("run.py", "--bootstrap-servers", on_cluster.broker)
    # First kill an executor of the landing, then, once it has landed, one of the build.
    wait_for(lambda: len(cluster.executors()) > WORKERS, process)
    (one, *_) = set(cluster.executors()) - set(of_server)
    os.kill(one, 9)
    assert process.stdout
    said = [next(line for line in process.stdout if line.startswith("landed "))]
    os.kill(of_server[0], 9)
    rest, _ = process.communicate()
    assert process.returncode == 0, said + [rest]
    compare(on_cluster, embedded)


def test_a_killed_driver_leaves_all_to_the_next_run(
    cluster: Standalone, on_cluster: Lake, embedded: Lake, topic: TopicMaker, shop: Shop
) -> None:
    shop.publish(topic, 60)
    # Kill the driver of the landing.
    wait_for(lambda: len(cluster.executors()) == WORKERS)
    process = on_cluster.start("run.py", "--bootstrap-servers", on_cluster.broker)
    wait_for(lambda: len(cluster.executors()) > WORKERS, process)
    assert kill_java(process.pid)
    said, _ = process.communicate()
    assert process.returncode and "Traceback" not in said, said
    # Kill the driver of the builds.
    process = on_cluster.start("run.py", "--bootstrap-servers", on_cluster.broker)
    assert process.stdout and cluster.thrift
    said = next(line for line in process.stdout if line.startswith("landed "))
    time.sleep(3)
    cluster.thrift.kill()
    said, _ = process.communicate()
    assert process.returncode and "Traceback" not in said, said
    cluster.start_thrift()
    on_cluster.run()
    compare(on_cluster, embedded)


def compare(on_cluster: Lake, embedded: Lake) -> None:
    """Check that all tables are the same once the embedded lake has landed and built them too."""
    embedded.run()
    found, expected = on_cluster.tables(), embedded.tables()
    assert found.keys() == expected.keys()
    differing = {
        name: (sorted(set(rows) - set(found[name])), sorted(set(found[name]) - set(rows)))
        for name, rows in expected.items()
        if rows != found[name]
    }
    assert not differing, json.dumps(differing)


def wait_for(is_so: Callable[[], bool], process: "subprocess.Popen[str] | None" = None) -> None:
    """Wait until a condition holds; fail if the process ends first."""
    until = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert process is None or process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
