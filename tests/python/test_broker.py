"""The command `kafka.py`, as a person uses it."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.kafka.broker import free_port
from changelake.kafka.client import check_reachable
from changelake.spark.java import find_java

pytestmark = pytest.mark.e2e


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
    down = "error: the local broker does not run: start it by `scripts/kafka.py start`\n"
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
        # images that are small have no `ps`
        monkeypatch.setenv("PATH", str(find_java().parent))
        assert kafka("status") == (0, listens)
        # whoever starts it again gets the one that runs, whatever port they name
        assert kafka("start", "--port", str(free_port())) == (0, listens)
        assert (tmp_path / "kafka" / "data" / "meta.properties").exists()
    finally:
        assert kafka("stop") == (0, "the local broker is stopped\n")
    assert kafka("status") == (1, down)
