"""The commands as a scheduler runs them: killed, on a full disk, with parts of the lake lost."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyhive import hive

from changelake.core import settings
from changelake.kafka.broker import free_port
from conftest import TopicMaker
from processes import WAITS, copy_with_scripts, kill_at_work, kill_java, small_disk
from streams import Source, work

# These tests start many commands, each with its own Spark.
pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

FEED = "shop"
# The commit of an earlier version whose lakes may exist.
EARLIER = "69eee9c"


class Commands:
    """The scripts in a copy of the project, with their own lake."""

    def __init__(self, repo: Path, lake: Path, broker: str) -> None:
        self.repo, self.lake, self.broker = repo, lake, broker
        # whether another command runs at the same time, so that these may have to wait
        self.has_company = False

    def _command(self, script: str, *arguments: str) -> dict[str, Any]:
        return {
            "args": [sys.executable, str(self.repo / "scripts" / script), *arguments],
            "env": {**os.environ, settings.HOME_VARIABLE: str(self.lake)},
            "text": True,
        }

    def call(self, script: str, *arguments: str, text: str = "") -> str:
        """Run a command that must succeed and print nothing to stderr; return its output."""
        run = subprocess.run(**self._command(script, *arguments), input=text, capture_output=True)
        errors = run.stderr.replace(WAITS, "") if self.has_company else run.stderr
        assert (run.returncode, errors) == (0, ""), run.stdout
        assert "WARN" not in run.stdout
        return str(run.stdout)

    def fail(self, script: str, *arguments: str) -> tuple[int, str]:
        """Run a command that must fail, and return its exit code and all output."""
        run = subprocess.run(**self._command(script, *arguments), capture_output=True)
        assert run.returncode and "Traceback" not in run.stderr, run.stderr
        return run.returncode, run.stdout + run.stderr

    def land_and_build(self, *arguments: str) -> dict[str, Any]:
        """Run run.py with landing, and return its summary."""
        return self.run("--bootstrap-servers", self.broker, *arguments)

    def run(self, *arguments: str) -> dict[str, Any]:
        """Run run.py, with or without landing, and return its summary."""
        summary = self.lake / "summary.json"
        self.call("run.py", "--summary", str(summary), *arguments)
        done: dict[str, Any] = json.loads(summary.read_text())
        assert done["exit_code"] == 0
        return done

    def land_build_and_kill(self, table: Path) -> None:
        """Run run.py, and kill it as soon as it writes data to a table."""
        before = _data(table)
        command = self._command("run.py", "--bootstrap-servers", self.broker)
        alive = kill_at_work(command, lambda: _data(table) != before)
        assert alive, f"run.py ended without a write into {table}"
        assert _data(table) != before

    def build_and_kill_java(self, table: Path) -> tuple[int, str]:
        """Run run.py, and kill its Java as soon as it writes to a table; return as fail() does."""
        before = _data(table)
        process = subprocess.Popen(
            **self._command("run.py"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        while process.poll() is None and _data(table) == before:
            time.sleep(0.005)
        assert kill_java(process.pid), f"run.py ended without a write into {table}"
        said, _ = process.communicate()
        return process.returncode, said

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Query the lake."""
        lines = self.call("sql.py", "--format", "json", text=sql).splitlines()
        return [json.loads(line) for line in lines]


def _data(table: Path) -> set[Path]:
    # Spark writes a file at once, either in its final place or below _temporary.
    return {path for path in table.rglob("*.parquet") if "_delta_log" not in path.parts}


@pytest.fixture(scope="module")
def commands(broker: str, tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The commands, with a feed of two topics."""
    directory = tmp_path_factory.mktemp("commands")
    repo = copy_with_scripts(directory / "repo", f"{FEED},kill.keyed kill.bag,,canal,")
    return Commands(repo, directory / "lake", broker)


@pytest.fixture(scope="module")
def keyed() -> Source:
    """A table with a key."""
    columns: dict[str, str | None] = {"id": "bigint", "name": "varchar(9)", "note": "varchar(40)"}
    return Source("keyed", "canal", columns, ["id"])


def test_kills_while_parsing_and_merging_change_nothing(
    commands: Commands, topic: TopicMaker, keyed: Source
) -> None:
    chance = random.Random(11)
    bag = Source("bag", "canal", {"id": "int", "name": "varchar(9)"}, [])
    for source in (keyed, bag):
        topic.create(f"kill.{source.name}")

    def publish(steps: int) -> int:
        messages = 0
        for source in (keyed, bag):
            work(source, chance, steps)
            for message in source.land():
                topic.publish(f"kill.{source.name}", 1, key=message.key, value=message.value)
                messages += 1
        return messages

    topic.publish("kill.keyed", 1, value=b"{")
    sent = publish(60) + 1
    rejected = [{"feed": FEED, "reason": "malformed_json", "messages": 1}]
    done = commands.land_and_build()
    assert [(one["feed"], one["messages"]) for one in done["landed"]] == [(FEED, sent)]
    assert done["rejected"] == rejected
    written = commands.call("onboard.py", "--table", "st.keyed", "--key", "st.keyed=id")
    assert "written   models/current/st__keyed.sql  (st.keyed)" in written
    assert "st.bag" not in written
    assert "written   models/current/st__bag.sql  (st.bag)" in commands.call("onboard.py", "--all")
    done = commands.run("--select", "st__bag")
    assert {one["name"] for one in done["built"] if one["kind"] == "model"} == {"st__bag"}
    assert done["landed"] == done["rejected"] == []
    commands.land_and_build()

    warehouse = commands.lake / "warehouse"
    sent += publish(40)
    commands.land_build_and_kill(warehouse / "silver.db" / "canal_events")
    sent += publish(40)
    commands.land_build_and_kill(warehouse / "state.db" / "st__keyed")
    sent += publish(10)
    done = commands.land_and_build("--feed", FEED, "--retry-rejects")
    assert done["rejected"] == rejected

    rows = commands.query(
        "select 'keyed' as t, 1 as n, array(string(id), name, note) as row from current.st__keyed;"
        "select 'open', 1, array(string(id), name, note) from history.st__keyed where _is_current;"
        "select 'bag', _row_count, array(string(id), name) from current.st__bag;"
        "select 'landed', count(*), array(string(count(distinct kafka_topic, kafka_offset)))"
        " from bronze.canal;"
        "select 'counted', sum(messages), array() from silver.message_counts"
    )
    found: dict[str, Counter[tuple[str | None, ...]]] = {}
    for row in rows:
        values = list(row.values())
        found.setdefault(values[0], Counter())[tuple(values[2])] += values[1]
    assert found["keyed"] == found["open"] == keyed.state()
    assert found["bag"] == bag.state()
    assert found["landed"] == {(str(sent),): sent}
    assert found["counted"] == {(): sent}


def test_a_resident_run_brings_what_comes_and_a_query_has_the_catalog_meanwhile(
    commands: Commands, topic: TopicMaker, keyed: Source
) -> None:
    summary = commands.lake / "resident.json"
    command = commands._command(
        "run.py", "--bootstrap-servers", commands.broker, "--every", "1 second",
        "--summary", str(summary),
    )  # fmt: skip
    chance = random.Random(12)
    with subprocess.Popen(**command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as resident:
        commands.has_company = True
        try:
            for _ in range(2):
                work(keyed, chance, 20)
                for message in keyed.land():
                    topic.publish("kill.keyed", 1, key=message.key, value=message.value)
                until = time.monotonic() + 120
                while (found := rows_of(commands)) != keyed.state() and time.monotonic() < until:
                    assert resident.poll() is None
                assert found == keyed.state()
        finally:
            commands.has_company = False
            resident.terminate()
            said, _ = resident.communicate(timeout=60)
    # 143 if the signal came during a build
    assert resident.returncode in (0, 143), said
    assert json.loads(summary.read_text())["exit_code"] == resident.returncode, said
    assert said.count("landed ") >= 2 and "nothing new" not in said


def test_a_served_lake_is_queried_while_it_is_kept_up_to_date(
    commands: Commands, topic: TopicMaker, keyed: Source
) -> None:
    port = free_port()
    command = commands._command(
        "run.py", "--bootstrap-servers", commands.broker, "--every", "1 second",
        "--serve", str(port),
    )  # fmt: skip
    with subprocess.Popen(**command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as resident:
        try:
            assert resident.stdout
            assert resident.stdout.readline() == f"serving the lake at 127.0.0.1:{port}\n"
            # a BI tool, which stays connected
            tool = hive.connect("127.0.0.1", port, auth="NONE").cursor()

            def rows() -> Counter[tuple[str | None, ...]]:
                tool.execute("select string(id), name, note from current.st__keyed")
                return Counter(tool.fetchall())

            work(keyed, random.Random(13), 20)
            for message in keyed.land():
                topic.publish("kill.keyed", 1, key=message.key, value=message.value)
            until = time.monotonic() + 120
            while rows() != keyed.state() and time.monotonic() < until:
                assert resident.poll() is None
            assert rows() == rows_of(commands) == keyed.state()
            listed = commands.call("sql.py", "--tables", "--format", "csv")
            assert "\nbronze,canal," in listed and "\ncurrent,st__keyed," in listed
            assert "st__keyed" in commands.call("onboard.py", "--table", "st.keyed")
            # The server is asked as a session is.
            written = commands.call(
                "sql.py", "--format", "csv",
                "create table current.scratch (a decimal(38,9)) using delta;"
                " with x as (select 1 as a) insert into current.scratch select a from x;"
                " /* all */ select a from current.scratch; show tables in current like 'scratch';"
                " drop table current.scratch",
            )  # fmt: skip
            assert "a\n1.000000000\n" in written and "current,scratch,false\n" in written
            code, error = commands.fail("sql.py", "select nothing from current.st__keyed")
            assert code == 1 and "`nothing` cannot be resolved" in error
            assert "operationHandle" not in error and error.count("UNRESOLVED_COLUMN") == 1
            said = (
                f"the lake is served by process {resident.pid}, run.py --every … --serve, which"
                " keeps its catalog: stop it first"
            )
            for others in (["maintain.py"], ["run.py"], ["run.py", *command["args"][2:]]):
                if "--serve" in others:
                    others[-1] = str(free_port())
                code, error = commands.fail(*others)
                assert code == 1 and said in error
            code, error = commands.fail("run.py", *command["args"][2:])
            assert code == 1 and f"--serve {port}: the port cannot be used: Address" in error
        finally:
            resident.terminate()
            rest, _ = resident.communicate(timeout=60)
    assert resident.returncode in (0, 143), rest
    assert rows_of(commands) == keyed.state()


def test_a_run_without_news_is_over_and_what_is_gone_is_built_again(
    commands: Commands, keyed: Source
) -> None:
    commands.run()
    assert commands.call("run.py").startswith("nothing new has landed since the last run")
    assert commands.run()["built"] == []
    commands.query("drop table state.st__keyed")
    assert "st__keyed" in {one["name"] for one in commands.run()["built"]}
    assert rows_of(commands) == keyed.state()
    model = commands.repo / "models" / "current" / "st__keyed.yml"
    text = model.read_text()
    for changed in (text + "# changed\n", text):
        model.write_text(changed)
        assert commands.run()["built"] != []
        assert commands.run()["built"] == []


def test_a_lake_that_is_moved_goes_on(commands: Commands, topic: TopicMaker, keyed: Source) -> None:
    before = commands.lake
    commands.lake = before.with_name("moved lake")
    before.rename(commands.lake)
    code, said = commands.fail("sql.py", "select 1")
    assert code == 1 and f"remove {commands.lake}/metastore_db, and scripts/run.py" in said
    insert(commands, topic, keyed, 5)
    said = commands.call("run.py", "--bootstrap-servers", commands.broker)
    assert said.startswith(f"this lake was in {before}: its catalog is rebuilt\n")
    assert rows_of(commands) == keyed.state()
    assert commands.run()["built"] == []


def test_a_lake_of_an_earlier_version_goes_on(
    commands: Commands, topic: TopicMaker, tmp_path: Path
) -> None:
    root = Path(__file__).parents[2]
    archive = subprocess.run(["git", "archive", EARLIER], cwd=root, capture_output=True)
    if archive.returncode:
        pytest.skip(f"the clone does not reach back to {EARLIER}")
    earlier = Commands(tmp_path / "earlier", tmp_path / "lake", commands.broker)
    earlier.repo.mkdir()
    subprocess.run(["tar", "-x", "-C", earlier.repo], input=archive.stdout, check=True)
    for name in (".jars", ".venv"):
        (earlier.repo / name).symlink_to(root / name)
    later = Commands(tmp_path / "later", earlier.lake, commands.broker)
    shutil.copytree(commands.repo, later.repo, symlinks=True)
    for one in (earlier, later):
        (one.repo / "seeds" / "feeds.csv").write_text(
            f"feed,topics,topic_pattern,format,time_zone\n{FEED},kill.upgraded,,canal,\n"
        )
    source = Source("upgraded", "canal", {"id": "bigint", "name": "varchar(9)"}, ["id"])
    chance = random.Random(13)
    topic.create("kill.upgraded")

    def publish() -> None:
        work(source, chance, 30)
        for message in source.land():
            topic.publish("kill.upgraded", 1, key=message.key, value=message.value)

    publish()
    earlier.land_and_build()
    earlier.call("onboard.py", "--all")
    earlier.run()
    for folder in ("current", "history"):
        shutil.rmtree(later.repo / "models" / folder)
        shutil.copytree(earlier.repo / "models" / folder, later.repo / "models" / folder)
    publish()
    built = later.land_and_build()["built"]
    assert {one["status"] for one in built} == {"success", "pass"}
    rows = later.query(
        "select array(string(id), name) as row from current.st__upgraded;"
        "select array(string(id), name) as row from history.st__upgraded where _is_current"
    )
    assert Counter(tuple(row["row"]) for row in rows) == source.state() + source.state()
    assert later.run()["built"] == []


def test_a_format_without_a_feed_costs_nothing_until_it_has_one(
    commands: Commands, topic: TopicMaker
) -> None:
    def events() -> list[list[Any]]:
        rows = commands.query(
            "show tables in bronze; describe silver.canal_events; describe silver.debezium_events;"
            "select format from silver.change_events group by format order by format;"
            "select count(*) from silver.debezium_events"
        )
        return [list(row.values()) for row in rows]

    before = events()
    assert [row[1] for row in before if row[0] == "bronze"] == ["canal"]
    assert before[-2:] == [["canal"], [0]]
    columns = [row for row in before[1:-2] if row[0][:1] != "#"]
    half = columns.index(["feed", "string", columns[0][2]], 1)
    names = [row[:2] for row in columns]
    assert names[half:] == names[:half][: len(names) - half]
    feeds = commands.repo / "seeds" / "feeds.csv"
    feeds.write_text(feeds.read_text() + "second,kill.second,,debezium,\n")
    topic.create("kill.second")
    topic.publish("kill.second", 1, value=b"{")
    assert commands.land_and_build()["rejected"][0]["feed"] == "second"
    assert [row[1] for row in events() if row[0] == "bronze"] == ["canal", "debezium"]
    (count,) = commands.query("select count(*) as n from silver.rejected_messages")
    assert count["n"] == 2


def insert(commands: Commands, topic: TopicMaker, keyed: Source, rows: int) -> None:
    """Insert rows and land them."""
    keyed.clock += 1
    first = 1000 + len(keyed.versions)
    keyed.insert(
        *({"id": str(first + n), "name": "x", "note": os.urandom(20).hex()} for n in range(rows))
    )
    for message in keyed.land():
        topic.publish("kill.keyed", 1, value=message.value)
    commands.call("land.py", "--bootstrap-servers", commands.broker)


def rows_of(commands: Commands) -> Counter[tuple[str | None, ...]]:
    """Return the current table's rows."""
    rows = commands.query("select array(string(id), name, note) as row from current.st__keyed")
    return Counter(tuple(row["row"]) for row in rows)


def test_the_benchmarks_measure(commands: Commands, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    commands.call("bench.py", "--only", "tables", "--messages", "1000", "--json", str(file))
    measured = {one["what"]: one["messages"] for one in json.loads(file.read_text())["throughput"]}
    assert measured["bronze → events → both"] == 1000


@pytest.mark.damage
def test_a_run_whose_java_is_killed_in_a_merge_says_so(
    commands: Commands, topic: TopicMaker, keyed: Source
) -> None:
    insert(commands, topic, keyed, 5)
    state = commands.lake / "warehouse" / "state.db" / "st__keyed"
    code, said = commands.build_and_kill_java(state)
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    assert (code, len(errors)) == (1, 1), said
    assert "Spark's Java process has ended" in errors[0]
    commands.run()
    assert rows_of(commands) == keyed.state()


@pytest.mark.damage
def test_a_disk_that_is_full_in_a_merge_loses_nothing(
    commands: Commands, topic: TopicMaker, keyed: Source
) -> None:
    insert(commands, topic, keyed, 3000)
    state = commands.lake / "warehouse" / "state.db" / "st__keyed"
    with small_disk(state, free=30_000) as make_room:
        code, said = commands.fail("run.py")
        (line,) = (line for line in said.splitlines() if line.startswith("  error    st__keyed "))
        assert code == 4 and "No space left on device" in line and len(line) < 1_100, said
        make_room()
        commands.run()
        assert rows_of(commands) == keyed.state()


@pytest.mark.damage
def test_a_disk_that_is_full_in_onboarding_leaves_whole_files(commands: Commands) -> None:
    models = commands.repo / "models" / "current"
    before = {file.name: file.read_bytes() for file in models.iterdir()}
    for file in models.iterdir():
        file.unlink()
    with small_disk(models, free=4096) as make_room:
        code, said = commands.fail("onboard.py", "--all")
        (line,) = (line for line in said.splitlines() if line.startswith("error: "))
        assert code == 1 and str(models) in line and "No space left on device" in line
        make_room()
        assert "kept" not in commands.call("onboard.py", "--all")
        assert {file.name: file.read_bytes() for file in models.iterdir()} == before


@pytest.mark.damage
def test_a_lost_catalog_is_made_anew(commands: Commands, topic: TopicMaker, keyed: Source) -> None:
    catalog = commands.lake / "metastore_db"
    for file in (catalog / "seg0").iterdir():
        file.write_bytes(b"damaged" * 100)
    code, said = commands.fail("run.py")
    assert (code, len(said.splitlines())) == (1, 1)
    assert f"error: the catalog in {catalog} cannot be opened" in said
    assert "move that directory away" in said
    shutil.move(catalog, commands.lake / "damaged")
    # A lake of an earlier version may have properties that new bronze tables lack.
    bronze = commands.lake / "bronze" / "canal"
    made = sorted(_log(bronze))[0]
    made.write_text(made.read_text().replace('"configuration":{', '"configuration":{"own":"1",'))
    for checksum in (bronze / "_delta_log").glob("*.crc"):
        checksum.unlink()
    insert(commands, topic, keyed, 3)
    commands.run()
    assert rows_of(commands) == keyed.state()
    (counted,) = commands.query(
        "select count(*) as n, count(distinct kafka_topic, kafka_offset) as d from bronze.canal"
    )
    assert counted["n"] == counted["d"]


@pytest.mark.damage
def test_a_table_with_a_damaged_log_is_named_and_made_anew(
    commands: Commands, topic: TopicMaker, keyed: Source
) -> None:
    warehouse = commands.lake / "warehouse"
    events, state = warehouse / "silver.db" / "canal_events", warehouse / "state.db" / "st__keyed"
    sorted(_log(events))[1].unlink()
    newest = sorted(_log(state))[-1]
    newest.write_bytes(newest.read_bytes()[:100])
    insert(commands, topic, keyed, 3)
    code, said = commands.fail("run.py", "--select", "canal_events", "--select", "st__keyed")
    assert code == 4
    for name, place in (("silver.canal_events", events), ("state.st__keyed", state)):
        assert f"the log of {name} is damaged: restore the directory {place}, or remove it" in said
        shutil.rmtree(place)
    commands.run()
    assert rows_of(commands) == keyed.state()
    # What a power failure leaves of the newest entry; Delta reads it as one without rows.
    sorted(_log(state))[-1].write_bytes(b"")
    insert(commands, topic, keyed, 1)
    code, said = commands.fail("run.py")
    assert code == 1 and "error: the log of state.st__keyed is damaged: restore the dir" in said
    shutil.rmtree(state)
    commands.run()
    assert rows_of(commands) == keyed.state()


def _log(table: Path) -> list[Path]:
    return list((table / "_delta_log").glob("[0-9]*.json"))
