"""A real Spark Thrift server, and a connection to it that a test can hold up and cut."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pyspark

from changelake.core import settings
from changelake.kafka.broker import free_port
from changelake.spark.java import find_java
from changelake.spark.jvm import JAVA_OPTIONS, LOG_PROPERTY
from changelake.spark.profile import profile_confs
from processes import stop_process

HOST = "127.0.0.1"
START_SECONDS = 120.0
WAIT_SECONDS = 120.0
MAIN_CLASS = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
# settings in the profile that are the session's, not the server's
SESSION_CONFS = ("spark.sql.variable.substitute", "spark.sql.mapKeyDedupPolicy")


class ThriftServer:
    """Spark's Thrift server over the lake in CHANGELAKE_HOME, with two cores by default.

    Args:
        directory: where it keeps its configuration and log.
        confs: settings that differ from the profile; an empty value leaves a setting out.
    """

    def __init__(self, directory: Path, confs: Mapping[str, str] = {}) -> None:  # noqa: B006
        self.directory = directory
        self._confs = {"spark.master": "local[2]", **confs}
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        find_java()
        if (lake := settings.local_path(settings.location())) is not None:
            lake.mkdir(parents=True, exist_ok=True)
        confs = profile_confs("local") | self._confs
        # The profile has no log directory for a lake in a store; the last definition wins.
        confs[JAVA_OPTIONS] += f' "-D{LOG_PROPERTY}={self.directory / "spark.log"}"'
        lines = [f"{name} {value}\n" for name, value in confs.items()
                 if value and name not in SESSION_CONFS]  # fmt: skip
        properties = self.directory / "spark.properties"
        properties.write_text("".join(lines))
        hive = {
            "hive.server2.thrift.port": self.port,
            "hive.server2.thrift.bind.host": HOST,
            "hive.exec.scratchdir": self.directory / "scratch",
            "hive.exec.local.scratchdir": self.directory / "scratch",
            "hive.server2.logging.operation.log.location": self.directory / "operations",
        }
        submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
        command = [submit, "--class", MAIN_CLASS, "--properties-file", properties, "spark-internal"]
        for name, value in hive.items():
            command += ["--hiveconf", f"{name}={value}"]
        log = self.directory / "server.log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.directory,
                start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        while not answers(self.port):
            assert self._process.poll() is None, f"the server ended: {log.read_text()}"
            assert time.monotonic() < until, f"the server does not answer: {log.read_text()}"
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill the server at once, in the middle of its work."""
        assert self._process
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Stop the server."""
        if self._process:
            stop_process(self._process)


def answers(port: int) -> bool:
    """Return whether something listens on a port."""
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1):
        return True
    return False


class Held:
    """A statement that is held up as soon as a client has sent it."""

    def __init__(self) -> None:
        self._is_sent, self._is_released = threading.Event(), threading.Event()
        self._is_taken = threading.Event()

    def is_sent(self) -> bool:
        """Return whether a client has sent it."""
        return self._is_sent.is_set()

    def release(self) -> None:
        """Let it through, and wait until the server has received it."""
        self._is_released.set()
        assert self._is_taken.wait(WAIT_SECONDS), "the server has not taken the statement"

    def stop(self) -> None:
        """Hold it until it is released; called by the line."""
        self._is_sent.set()
        self._is_released.wait()

    def taken(self) -> None:
        """Record that the server has answered; called by the line."""
        self._is_taken.set()


class Line:
    """A proxy in front of the server: it can hold statements, and outlives its clients.

    When a client ends, the server does not notice, as when a client's machine or network is gone:
    its statements go on running.

    Args:
        server_port: the server's port.
        pattern: a regular expression; statements that contain a match can be held.
    """

    def __init__(self, server_port: int, pattern: str) -> None:
        self._server_port = server_port
        self._pattern = re.compile(pattern.encode())
        self._next: Held | None = None
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server((HOST, 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> Held:
        """Hold the next matching statement."""
        self._next = Held()
        return self._next

    def close(self) -> None:
        """Cut the connections."""
        for one in (self._listener, *self._sockets):
            # Only this wakes up a thread that waits for the socket.
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection((HOST, self._server_port))
                self._sockets += [client, server]
                held: list[Held] = []
                for work in (self._ask, self._answer):
                    threading.Thread(target=work, args=(client, server, held), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, held: list[Held]) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(1 << 20):
                if self._next and self._pattern.search(data):
                    one, self._next = self._next, None
                    one.stop()
                    held.append(one)
                server.sendall(data)

    def _answer(self, client: socket.socket, server: socket.socket, held: list[Held]) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(1 << 20):
                while held:
                    held.pop().taken()
                with contextlib.suppress(OSError):
                    client.sendall(data)
