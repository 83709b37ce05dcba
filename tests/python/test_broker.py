"""The command `kafka.py`, as a person uses it."""

import os
import runpy
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.kafka.broker import Broker, free_port
from changelake.kafka.client import check_reachable
from changelake.spark import jars
from changelake.spark.java import find_java
from processes import SCRIPTS

pytestmark = pytest.mark.e2e


def test_a_lake_of_any_name_has_a_broker(tmp_path: Path) -> None:
    place = tmp_path / "a b\\é"
    text = Broker(place)._configure().read_text()
    assert f"\nlog.dirs={tmp_path}/a b\\u005c\\u00e9/data\n" in text
    with pytest.raises(UserError, match="whose path has a ',': set CHANGELAKE_HOME to another"):
        Broker(tmp_path / "a,b")._configure()


def test_a_broker_whose_starter_is_killed_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Kafka: this is about who writes the process id, and who holds the lock."""
    broker = Broker(tmp_path, free_port())
    monkeypatch.setattr(Broker, "_format", lambda *_: None)
    monkeypatch.setattr(jars, "present", lambda: True)
    monkeypatch.setattr(Broker, "_java", lambda *_: ["/bin/sh", "-c", "sleep 60; :", "sh"])

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Broker, "_wait_until_ready", killed)
    with pytest.raises(KeyboardInterrupt):
        broker.start()
    until = time.monotonic() + 10
    while not (running := broker.running()) and time.monotonic() < until:
        time.sleep(0.05)
    assert running and running[1] == broker.port
    assert broker.stop()
    assert broker.running() is None and not broker.stop()


def test_two_starts_at_once_are_one_broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def start(self: Broker) -> None:
        begun.append(os.getpid())
        time.sleep(0.5)

    monkeypatch.setattr(Broker, "_start", start)
    monkeypatch.setattr(Broker, "_wait_until_ready", lambda *_: None)
    monkeypatch.setattr(Broker, "running", lambda _: (1, 9092) if begun else None)
    with ThreadPoolExecutor(2) as both:
        assert list(both.map(lambda _: Broker(tmp_path).start(), range(2))) == [9092, 9092]
    assert len(begun) == 1


def test_who_asks_for_another_port_gets_the_broker_that_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Broker, "start", lambda _: 9093)
    app = runpy.run_path(str(SCRIPTS / "kafka.py"))["app"]
    listens = "the local broker listens on 127.0.0.1:9093\n"
    for arguments, said in (
        ([], ""),
        (["--port", "9093"], ""),
        (["--port", "9092"], "it was running already, so not on port 9092: to move it there, "),
    ):
        done = CliRunner().invoke(app, ["start", *arguments])
        assert done.exit_code == 0
        assert done.output.startswith(f"{listens}{said}")
        assert done.output.count("\n") == 1 + bool(said)


def test_start_status_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = str(free_port())

    def kafka(*arguments: str) -> tuple[int, str]:
        run = subprocess.run(
            [sys.executable, str(Path(__file__).parents[2] / "scripts" / "kafka.py"), *arguments],
            env={**os.environ, settings.HOME_VARIABLE: str(tmp_path)},
            capture_output=True,
            text=True,
        )
        return run.returncode, run.stdout + run.stderr

    listens = f"the local broker listens on 127.0.0.1:{port}\n"
    down = "error: the local broker does not run: start it with `scripts/kafka.py start`\n"
    assert kafka("status") == (1, down)
    assert kafka("stop") == (0, "the local broker was not running\n")
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(port)))
        other.listen()
        taken = f"error: port {port} is taken by another program: end it, or choose --port\n"
        assert kafka("start", "--port", port) == (1, taken)
    assert kafka("start", "--port", port) == (0, listens)
    try:
        assert kafka("status") == (0, listens)
        monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
        with pytest.raises(UserError, match=f": the local broker listens on 127.0.0.1:{port}$"):
            check_reachable(f"127.0.0.1:{free_port()}")
        # Small images have no `ps`.
        monkeypatch.setenv("PATH", str(find_java().parent))
        assert kafka("status") == (0, listens)
        # Starting again gives the broker that is already running, whatever port is asked for.
        code, said = kafka("start", "--port", str(free_port()))
        assert code == 0 and said.startswith(f"{listens}it was running already")
        assert (tmp_path / "kafka" / "data" / "meta.properties").exists()
    finally:
        assert kafka("stop") == (0, "the local broker is stopped\n")
    assert kafka("status") == (1, down)
