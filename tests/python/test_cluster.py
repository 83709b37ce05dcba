"""Target cluster: builds through Spark's Thrift server, by two clients at once or a killed one."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import contract_messages
from changelake.build.dbt import Build
from changelake.build.report import BuildResult
from changelake.core.errors import UserError
from changelake.core.quoting import sql_string
from changelake.onboarding.table_events import Alter, TableEvents, table_events
from changelake.query.sql import ServerQueries
from changelake.spark.thrift import ThriftSession
from thrift_server import HOST, WAIT_SECONDS, Line, ThriftServer

# These tests start a server and build for minutes.
pytestmark = pytest.mark.thorough
EVENTS = "canal_events"
INSERT = rf"insert into (table )?silver\.{EVENTS}"
# Longer than the time between two statements that are sent one right after the other.
SLOW_SECONDS = 4


@pytest.fixture(scope="module")
def line(lake: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    """The connection to a Thrift server over the tests' lake."""
    server = ThriftServer(tmp_path_factory.mktemp("thrift"))
    line = Line(server.port, INSERT)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("CHANGELAKE_THRIFT_HOST", HOST)
        environment.setenv("CHANGELAKE_THRIFT_PORT", str(line.port))
        try:
            server.start()
            yield line
        finally:
            line.close()
            server.stop()


class Cluster:
    """The server's lake, with a table of Canal's events."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.build = Build(None, "cluster", lambda node: None)
        self._lake = ServerQueries()
        self._next = 0

    def sql(self, statement: str) -> list[dict[str, object]]:
        """Run a statement and return its rows."""
        return [json.loads(line) for line in self._lake.run(statement)[1]]

    def run(self, *models: str) -> BuildResult:
        """Run models with dbt in this process."""
        return self.build.invoke("run", "--select", *models)

    def land(self, messages: int = 10) -> int:
        """Append messages to bronze, and return the offset of the first one."""
        ((_, message),) = contract_messages.canal("insert", None, {"id": "1"})
        value = sql_string(json.dumps(message))
        first, self._next = self._next, self._next + messages
        self.sql(
            f"insert into bronze.canal select 'shop', 'shop', 0, id, now(), null, null,"
            f" cast({value} as binary), now(), current_date()"
            f" from range({first}, {self._next}, 1, 1)"
        )
        return first

    def check(self, first: int) -> None:
        """Build again, and check that the events have every message from this offset on, once."""
        assert not self.run(EVENTS).failed
        assert self.offsets(first) == list(range(first, self._next))

    def offsets(self, first: int) -> list[object]:
        """Return the events' offsets from this one on, in order and with duplicates."""
        rows = self.sql(
            f"select kafka_offset from silver.{EVENTS} where kafka_offset >= {first}"
            " order by kafka_offset"
        )
        return [row["kafka_offset"] for row in rows]

    def slow_down(self, seconds: float) -> None:
        """Make every statement that reads Canal's messages take this much longer."""
        sleep = f"java_method('java.lang.Thread', 'sleep', {int(seconds * 1000)}L)"
        self.sql(
            "create or replace view silver.operation_codes as select * from silver.codes"
            f" where if(format = 'canal' and code = 'INSERT', {sleep}, '') is not null"
        )


@pytest.fixture(scope="module")
def cluster(line: Line, project: Path) -> Cluster:
    """The lake, with everything that the events need."""
    one = Cluster(project)
    one.build.manifest()
    assert not one.build.invoke("seed", "--select", "operation_codes").failed
    one.sql("alter table silver.operation_codes rename to silver.codes")
    one.slow_down(0)
    # The first build creates the bronze table.
    assert not one.run(EVENTS).failed
    one.check(one.land())
    return one


class Client:
    """dbt in its own process, building Canal's events; its insert statement is held back."""

    def __init__(self, cluster: Cluster, line: Line, directory: Path) -> None:
        self.insert = line.hold()
        # Its own target directory, with the parsed project.
        shutil.copytree(cluster.project / "target", directory / "target")
        command = [Path(sys.executable).with_name("dbt"), "run", "--target", "cluster"]
        command += ["--target-path", directory / "target", "--log-path", directory / "logs"]
        self._process = subprocess.Popen(
            [str(part) for part in (*command, "--select", EVENTS)],
            cwd=cluster.project, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        until = time.monotonic() + WAIT_SECONDS
        while not self.insert.is_sent():
            assert self._process.poll() is None, f"the client has ended: {self.end()}"
            assert time.monotonic() < until, "the client has not sent its insert"
            time.sleep(0.01)

    def end(self) -> tuple[int, str]:
        """Wait until it ends; return its exit code and output."""
        said, _ = self._process.communicate(timeout=WAIT_SECONDS)
        return self._process.returncode, said

    def kill(self) -> None:
        """Kill it with SIGKILL if it is still running."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


Start = Callable[[], Client]


@pytest.fixture
def start(cluster: Cluster, line: Line, tmp_path: Path) -> Iterator[Start]:
    """Starts clients."""
    clients: list[Client] = []

    def one() -> Client:
        clients.append(Client(cluster, line, tmp_path / str(len(clients))))
        return clients[-1]

    yield one
    for client in clients:
        client.kill()


def test_builds_once(cluster: Cluster) -> None:
    first = cluster.land()
    cluster.check(first)
    cluster.check(first)


def test_two_builds_overlap(cluster: Cluster, start: Start) -> None:
    first = cluster.land()
    clients = [start(), start()]
    cluster.slow_down(SLOW_SECONDS)
    for one in clients:
        one.insert.release()
    ends = [one.end() for one in clients]
    cluster.slow_down(0)
    assert 0 in [code for code, _ in ends], ends
    cluster.check(first)


def test_a_build_whose_news_another_has_built_since_it_looked(
    cluster: Cluster, start: Start
) -> None:
    first = cluster.land()
    for one in [start(), start()]:
        one.insert.release()
        code, said = one.end()
        assert code == 0, said
    cluster.check(first)


def test_a_killed_build_whose_statement_runs_on(cluster: Cluster, start: Start) -> None:
    first = cluster.land()
    killed, second = start(), start()
    cluster.slow_down(SLOW_SECONDS)
    killed.insert.release()
    killed.kill()
    assert not cluster.offsets(first), "the statement has ended before its client"
    second.insert.release()
    second.end()
    cluster.slow_down(0)
    cluster.check(first)


def test_a_session_answers_as_an_embedded_one_does(cluster: Cluster) -> None:
    lake = ThriftSession()
    statement = "select array('a', 'b') as some, cast(null as array<string>) as none, true, 7L as n"
    (row,) = lake.sql(statement).collect()
    assert (row.some, row.none, row[2], row["n"]) == (["a", "b"], None, True, 7)
    assert lake.sql("create schema if not exists silver").collect() == []
    assert lake.catalog.databaseExists("silver") and not lake.catalog.databaseExists("silve")
    assert lake.catalog.tableExists(f"silver.`{EVENTS}`")
    assert not any(map(lake.catalog.tableExists, ("silver.none", f"none.{EVENTS}")))
    with pytest.raises(UserError, match=r"\[TABLE_OR_VIEW_NOT_FOUND\]"):
        lake.sql("select * from silver.none")


def test_statements_that_alter_a_table_are_read_through_the_server(cluster: Cluster) -> None:
    ddl = 'ALTER TABLE "t" ADD `a\\b` int'
    cluster.sql(
        "create or replace view silver.altered as select 'f' as feed, 'd' as database_name,"
        " cast(null as string) as schema_name, 't' as table_name, 7L as parse_batch, 'top' as"
        " kafka_topic, 0 as kafka_partition, 3L as kafka_offset, 0 as row_index, event_type,"
        f" 'events' as outcome, 'alter' as operation, {sql_string(ddl)} as ddl,"
        " cast(null as string) as source_position,"
        " cast(null as timestamp) as committed_at from values ('schema'), ('row') as (event_type)"
    )
    alters = [Alter("top", 0, 3, 0, ddl, 7, None)]
    found = table_events(ThriftSession(), {"altered": "true"})
    assert found == [TableEvents("altered", "f", "d", None, "t", 7, alters)]


def test_nothing_is_substituted(cluster: Cluster) -> None:
    assert cluster.sql("select '${env:HOME}' as text") == [{"text": "${env:HOME}"}]


def test_a_session_that_substitutes_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    text = (cluster.project / "profiles" / "profiles.yml").read_text()
    line = 'set:hiveconf:spark.sql.variable.substitute: "false"\n'
    assert line in text
    (tmp_path / "profiles.yml").write_text(text.replace(line, "\n"))
    client = [Path(sys.executable).with_name("dbt"), "run-operation", "check_session"]
    run = subprocess.run(
        [*client, "--target", "cluster", "--profiles-dir", tmp_path, "--log-path", tmp_path],
        cwd=cluster.project, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode
    assert "spark.sql.variable.substitute=true: set it to false" in run.stdout
