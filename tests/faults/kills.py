#!/usr/bin/env python3
"""Kills landing, builds and onboarding at random moments, and compares the resulting tables.

The commands themselves are killed with SIGKILL: all of their processes, or only Spark's Java, or
only Python. The tables are compared with a model in plain Python, the messages with those sent.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import contextlib
import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from changelake.core import settings, tuning
from changelake.kafka.broker import Broker, free_port
from changelake.core.errors import UserError
from changelake.core.cli import one_line_errors
from conftest import TopicMaker
from processes import copy_with_scripts, kill_java
from state_runner import texts_of
from streams import Source
from tables import knows_versions, next_messages, source_tables

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
POLL_SECONDS = 0.01
# A command that has not reached its moment by then counts as hanging.
COMMAND_SECONDS = 600.0
COMPARE_EVERY = 50
# The share of kills that come before any build has finished.
FIRST_BUILD = 0.1

Condition = Callable[[], bool]


@dataclass
class Kill:
    """A command, and the moment when it is killed.

    Attributes:
        moment: what the command is doing when it is killed.
        command: the script and its options.
        is_there: whether it has begun to do that.
        seconds: how long it may go on before it is killed.
    """

    moment: str
    command: list[str]
    is_there: Condition
    seconds: float


class Work:
    """A lake, a broker, a copy of the project, and tables at their source.

    Args:
        directory: the parent directory of all of it.
        chance: the random generator.
        broker: HOST:PORT of the broker, which keeps running until the end.
    """

    def __init__(self, directory: Path, chance: random.Random, broker: str) -> None:
        self.chance, self.lake, self.broker = chance, directory / "lake", broker
        self.log = directory / "log"
        self.sources = source_tables()
        feeds = [f"{one.feed},{_topic(one)},,{one.format}," for one in self.sources]
        self.repo = copy_with_scripts(directory / "repo", *feeds)
        # Every run compacts tables.
        with (self.repo / "dbt_project.yml").open("a") as project:
            project.write("\nvars:\n  changelake_compact_hours: 0\n")
        self.topics = TopicMaker(broker)
        for source in self.sources:
            self.topics.create(_topic(source), source.partitions)
        self.sent: Counter[tuple[str, int]] = Counter()
        self.is_built = False

    # The source.

    def publish(self, steps: int, complete: bool = False) -> None:
        """Change each table and publish its messages."""
        for source in self.sources:
            for one in next_messages(source, self.chance, steps, complete):
                self.topics.publish(_topic(source), 1, one.partition, key=one.key, value=one.value)
                self.sent[_topic(source), one.partition] += 1

    # The commands.

    def start(self, *command: str) -> "subprocess.Popen[bytes]":
        """Start a script of the project's copy in its own process group."""
        script, *options = command
        with self.log.open("wb") as log:
            return subprocess.Popen(
                [sys.executable, str(self.repo / "scripts" / script), *options],
                env={**os.environ, settings.HOME_VARIABLE: str(self.lake)},
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip

    def run(self, *command: str) -> str:
        """Run a script that must succeed; return its output."""
        code = self.start(*command).wait(COMMAND_SECONDS)
        self.check(code == 0, f"{command[0]} after the kills: exit code {code}")
        return self.log.read_text()

    def check(self, is_right: bool, message: str) -> None:
        """If something is wrong, end everything with a message and the last command's output."""
        if not is_right:
            print(self.log.read_text(errors="replace"), end="", flush=True)
            raise UserError(message)

    def complete(self) -> None:
        """Publish what is left, and let landing, onboarding and building finish."""
        self.publish(3, complete=True)
        if not self.is_built:
            # Onboarding reads events.
            self.run("run.py", "--bootstrap-servers", self.broker)
        self.run("onboard.py", "--all")
        self.run("run.py", "--bootstrap-servers", self.broker)
        self.is_built = True

    # The kills.

    def next_kill(self) -> Kill:
        """Choose what to kill, and when."""
        kinds = {self._landing: 3, self._parsing: 3, self._anywhere: 1}
        if self.is_built:
            kinds[self._onboarding] = 3
        if self._declared():
            kinds |= {self._merging: 4, self._compacting: 4}
        (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
        return kind()

    def _landing(self) -> Kill:
        size = str(self.chance.choice([5, 20, 1_000_000]))
        command = ["land.py", "--bootstrap-servers", self.broker, "--max-offsets-per-trigger", size]
        places = [self.lake / "bronze", self.lake / "checkpoints"]
        return Kill("landing", command, _changes(places, 3), self._seconds(2.0))

    def _parsing(self) -> Kill:
        source = self.chance.choice(self.sources)
        events = f"{source.format}_events"
        places = [self.lake / "warehouse" / "silver.db" / events]
        command = self._build(source, events)
        return Kill("parsing", command, _changes(places, 1), self._seconds(2.0))

    def _merging(self) -> Kill:
        source, command = self._tables()
        return Kill("merging", command, _changes(self._states(source), 0), self._seconds(1.5))

    def _compacting(self) -> Kill:
        source, command = self._tables()
        state = self.chance.choice(self._states(source))
        merged = _changes([state / "_delta_log"], 0)
        writes: list[Condition] = []

        def is_there() -> bool:
            # After its merge, a table's run only writes to it when it compacts the files.
            if not writes and merged():
                writes.append(_changes([state], 0))
            return bool(writes) and writes[0]()

        return Kill("compacting", command, is_there, self._seconds(0.5))

    def _tables(self) -> tuple[Source, list[str]]:
        source = self.chance.choice(self._declared())
        model = f"st__{source.name}"
        return source, self._build(source, f"{source.format}_events", model, f"{model}__history")

    def _declared(self) -> list[Source]:
        # A killed onboarding leaves some of them missing.
        there = {file.name for file in (self.repo / "models").rglob("*__history.yml")}
        return [one for one in self.sources if f"st__{one.name}__history.yml" in there]

    def _states(self, source: Source) -> list[Path]:
        states = self.lake / "warehouse" / "state.db"
        return [states / f"st__{source.name}", states / f"st__{source.name}__history"]

    def _build(self, source: Source, *models: str) -> list[str]:
        # Only one table, so that many kills take few minutes. A new lake needs a full build.
        chosen = ["--feed", source.feed] + [part for one in models for part in ("--select", one)]
        return ["run.py", "--bootstrap-servers", self.broker, *(chosen if self.is_built else [])]

    def _onboarding(self) -> Kill:
        folders = [self.repo / "models" / "current", self.repo / "models" / "history"]
        source = self.chance.choice(self.sources)
        for file in [one for folder in folders for one in folder.glob(f"st__{source.name}*")]:
            file.unlink()
        left = sum(len(os.listdir(folder)) for folder in folders)
        written = self.chance.randrange(1, 5)

        def is_there() -> bool:
            return sum(len(os.listdir(folder)) for folder in folders) >= left + written

        return Kill("onboarding", ["onboard.py", "--all"], is_there, 0.0)

    def _anywhere(self) -> Kill:
        command = ["run.py", "--bootstrap-servers", self.broker]
        return Kill("anywhere", command, lambda: True, self._seconds(60.0))

    def _seconds(self, most: float) -> float:
        return self.chance.uniform(0.0, most)

    def kill(self, number: int) -> bool:
        """Publish something, start a command and kill it; say whether it was still working."""
        self.publish(self.chance.randrange(1, 8))
        one = self.next_kill()
        whom = self.chance.choices(["all", "Java", "Python"], [8, 1, 1])[0]
        begun = time.monotonic()
        process = self.start(*one.command)
        # Onboarding writes its files within milliseconds.
        pause = 0.0 if one.moment == "onboarding" else POLL_SECONDS
        while process.poll() is None and not one.is_there():
            self.check(time.monotonic() < begun + COMMAND_SECONDS, f"{one.command[0]} hangs")
            time.sleep(pause)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(one.seconds)
        name = f"{number:4} {one.moment:10} {one.command[0]}"
        if process.poll() is not None:
            self.check(process.returncode == 0, f"{name}: ended with {process.returncode}")
            return False
        whom = self._end(process, whom)
        if process.returncode == 0:
            return False
        print(f"{name:28} {time.monotonic() - begun:5.1f} s  {whom}", flush=True)
        if whom == "Java":
            self._check_said(name)
        return True

    def _end(self, process: "subprocess.Popen[bytes]", whom: str) -> str:
        """Kill a process, and return what was killed: Python alone until Java has started."""
        if whom == "Java" and kill_java(process.pid):
            said = self.log.read_bytes()
            code = process.wait(COMMAND_SECONDS)
            # If it printed nothing more, its work was already done.
            was_done = code == 0 and self.log.read_bytes() == said
            self.check(code > 0 or was_done, "a command whose Java was killed ended with 0")
            return whom
        if whom == "Python":
            process.kill()
            process.wait()
            return whom
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "all"

    def _check_said(self, name: str) -> None:
        """Check that a command whose Java was killed reported it, without a traceback."""
        said = self.log.read_text(errors="replace")
        self.check("Traceback" not in said, f"{name}: a traceback")
        self.check("Spark's Java process has ended" in said, f"{name}: does not say what happened")

    # The comparison.

    def compare(self) -> int:
        """Compare everything with what was sent; return the number of rows.

        Raises:
            UserError: something differs.
        """
        found: dict[str, Counter[tuple[Any, ...]]] = {}
        for line in self.ask(";".join(self._questions())):
            what, *values = json.loads(line)["row"]
            found.setdefault(what, Counter())[tuple(values)] += 1
        differences = [
            f"{what}: {one} {count} times too {'often' if count > 0 else 'seldom'}"
            for what, due in self._due().items()
            for one, count in _minus(found.get(what, Counter()), due).items()
        ]
        for line in differences:
            print(line)
        if differences:
            raise UserError(f"{len(differences)} differences, see above")
        return sum(len(one.rows) for one in self.sources)

    def ask(self, statements: str) -> list[str]:
        """Return the rows of some queries, as JSON."""
        file = self.lake.with_name("questions.sql")
        file.write_text(statements)
        return self.run("sql.py", "--format", "json", "--file", str(file)).splitlines()

    def _questions(self) -> Iterator[str]:
        times = "string(unix_timestamp(_valid_from)), string(unix_timestamp(_valid_to))"
        place = "kafka_topic, kafka_partition, kafka_offset"
        for source in self.sources:
            table, row = f"st__{source.name}", texts_of(source)
            history = f"from history.{table}"
            yield f"select array('current {table}', {row}) as row from current.{table}"
            yield f"select array('open {table}', {row}) as row {history} where _is_current"
            yield f"select array('versions {table}', {row}, {times}, _operation) as row {history}"
            events = f"silver.{source.format}_events"
            for what, relation, unique in (
                ("bronze", f"bronze.{source.format}", place),
                ("events", events, f"{place}, row_index"),
            ):
                yield (
                    f"select array('twice', '{what}', kafka_topic, string(kafka_partition),"
                    f" string(kafka_offset)) as row from {relation} group by {unique}"
                    " having count(*) > 1"
                )
            yield (
                "select array('landed', kafka_topic, string(kafka_partition),"
                f" string(count(*))) as row from bronze.{source.format}"
                " group by kafka_topic, kafka_partition"
            )
        yield (
            "select array('counted', kafka_topic, string(kafka_partition),"
            " string(sum(messages))) as row from silver.message_counts"
            " where outcome != 'waiting' group by kafka_topic, kafka_partition"
        )

    def _due(self) -> dict[str, Counter[tuple[Any, ...]]]:
        messages = Counter((*place, count) for place, count in self.sent.items())
        texts = Counter({tuple(map(str, one)): 1 for one in messages})
        due = {"twice": Counter(), "landed": texts, "counted": texts}
        for source in self.sources:
            table = f"st__{source.name}"
            due[f"current {table}"] = due[f"open {table}"] = source.state()
            if knows_versions(source):
                due[f"versions {table}"] = Counter(
                    (*source.shown(one.row), *(end and str(end) for end in (one.begin, one.end)),
                     one.operation)
                    for one in source.versions
                )  # fmt: skip
        return due


def _topic(source: Source) -> str:
    return f"st.{source.name}"


def _minus(found: Counter[Any], due: Counter[Any]) -> dict[Any, int]:
    return {one: found[one] - due[one] for one in found | due if found[one] != due[one]}


def _changes(places: list[Path], depth: int) -> Condition:
    """Return a condition: some directory, or one below it down to a depth, has other files now."""

    def look() -> int:
        # A directory's own time changes when a file in it is added or removed.
        return hash(tuple(_times(place, depth) for place in places))

    before = look()
    return lambda: look() != before


def _times(place: Path, depth: int) -> tuple[Any, ...]:
    with contextlib.suppress(OSError):
        here = place.stat().st_mtime_ns
        if depth:
            below = sorted(one.path for one in os.scandir(place) if one.is_dir())
            return (here, *(_times(Path(one), depth - 1) for one in below))
        return (here,)
    return ()


@contextlib.contextmanager
def _broker(directory: Path) -> Iterator[str]:
    local = Broker(directory / "kafka", free_port())
    local.start()
    try:
        yield f"127.0.0.1:{local.port}"
    finally:
        local.stop()


@app.command()
@one_line_errors
def main(
    kills: Annotated[int, typer.Option(min=1, help="How many.")] = 200,
    seed: Annotated[
        int | None, typer.Option(help="What chance begins with; printed if not given.")
    ] = None,
    directory: Annotated[
        Path | None, typer.Option(help="Where to work, and leave what there is, instead of /tmp.")
    ] = None,
) -> None:
    """Kill commands at random moments, and compare the tables with their sources."""
    seed = random.randrange(10**6) if seed is None else seed
    print(f"{kills} kills, --seed {seed}", flush=True)
    tuning.expect_little_data()
    with contextlib.ExitStack() as ends:
        place = directory or Path(ends.enter_context(tempfile.TemporaryDirectory()))
        place.mkdir(parents=True, exist_ok=True)
        work = Work(place.absolute(), random.Random(seed), ends.enter_context(_broker(place)))
        done = 0
        while done < kills:
            done += work.kill(done + 1)
            if not work.is_built and done >= kills * FIRST_BUILD:
                work.complete()
            elif done % COMPARE_EVERY == 0 and done < kills:
                work.complete()
                work.compare()
                print(f"{done} kills: equal", flush=True)
        work.complete()
        rows = work.compare()
        work.run("run.py", "--select", "test_type:data")
        messages = work.sent.total()
        print(f"{kills} kills, {messages} messages, {rows} rows, seed {seed}: equal")


if __name__ == "__main__":
    app()
