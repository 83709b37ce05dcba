"""The local broker: one Kafka node in KRaft mode, on 127.0.0.1 only, without Docker."""

import contextlib
import os
import signal
import socket
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.file_locks import locked
from changelake.core.files import write_whole
from changelake.spark import jars
from changelake.spark.java import find_java

DEFAULT_PORT = 9092
START_SECONDS = 60.0
STOP_SECONDS = 30.0
HEAP = "512m"
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
LOCK = "broker.lock"
# The broker's own process writes its id and port: it can be stopped however this process ends.
_RUN = 'echo "$$ $1" > "$2" && shift 2 && exec "$@"'

_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
auto.create.topics.enable=true
num.partitions=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
group.initial.rebalance.delay.ms=0
message.max.bytes={max_bytes}
replica.fetch.max.bytes={max_bytes}
socket.request.max.bytes={request_bytes}
# Messages that wait to be landed must not expire on a machine that sleeps over the weekend.
log.retention.ms=-1
log.retention.check.interval.ms={retention_check_ms}
log.segment.delete.delay.ms=1000
"""


class Broker:
    """The local broker of a lake.

    Args:
        directory: where it keeps its data, its log and its process id.
        port: where it listens; the controller listens on a free port.
    """

    def __init__(self, directory: Path | None = None, port: int = DEFAULT_PORT) -> None:
        self.directory = directory or settings.kafka_directory()
        self.port = port
        self.pid_file = self.directory / "broker.pid"
        self.log_file = self.directory / "broker.log"
        self.data = self.directory / "data"

    def running(self) -> tuple[int, int] | None:
        """Return (process id, port) of the running broker of this directory, else None."""
        try:
            pid, port = (int(part) for part in self.pid_file.read_text().split())
            return (pid, port) if self._is_ours(pid) else None
        except (OSError, ValueError):
            return None

    def _is_ours(self, pid: int) -> bool:
        # Process ids are reused, as after a reboot: the command line decides.
        command = _command_line(pid)
        return "kafka.Kafka" in command and str(self.directory) in command

    def start(self) -> int:
        """Start the broker unless it runs, and wait until it answers.

        Returns:
            The port on which it listens: that of the running one, if one runs.

        Raises:
            UserError: the port is taken, or the broker ended or did not answer in time.
        """
        if self.running() is None:
            settings.check_home()
        # a second process waits, and then finds the broker
        with locked(LOCK, root=self.directory):
            if running := self.running():
                pid, self.port = running
                self._wait_until_ready(None, pid)
            else:
                self._start()
        return self.port

    def _start(self) -> None:
        if not jars.present():
            raise UserError("the jars are missing: run `make setup`")
        java = find_java()
        if _answers(self.port) or not _is_free(self.port):
            raise UserError(
                f"port {self.port} is taken by another program: end it, or choose --port"
            )
        properties = self._configure()
        self._format(java, properties)
        command = ["/bin/sh", "-c", _RUN, "sh", str(self.port), str(self.pid_file)]
        command += [*self._java(java, f"-Xmx{HEAP}", "-Xms256m"), "kafka.Kafka", str(properties)]
        with self.log_file.open("ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C in the terminal is not meant for it
                cwd=self.directory,
            )
        self._wait_until_ready(process, process.pid)

    def _java(self, java: Path, *options: str) -> list[str]:
        classpath = str(settings.JARS / "kafka" / "*")
        log = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        time_format = "-Dorg.slf4j.simpleLogger.showDateTime=true"
        return [str(java), *options, log, time_format, "-cp", classpath]

    def _configure(self) -> Path:
        self.directory.mkdir(parents=True, exist_ok=True)
        properties = self.directory / "server.properties"
        text = _PROPERTIES.format(
            port=self.port,
            controller_port=free_port(),
            data=self._escaped_data(),
            max_bytes=MAX_MESSAGE_BYTES,
            request_bytes=2 * MAX_MESSAGE_BYTES,
            retention_check_ms=2000,
        )
        write_whole(properties, text)
        return properties

    def _escaped_data(self) -> str:
        if "," in str(self.data):
            raise UserError(
                f"the local broker cannot keep its files in {self.data}, whose path has a ',': set"
                f" {settings.HOME_VARIABLE} to another directory"
            )
        return java_property(str(self.data))

    def _format(self, java: Path, properties: Path) -> None:
        if (self.data / "meta.properties").exists():
            return
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # A name must not begin with '-', which the tool would take for an option.
        cluster = "c" + cluster[1:]
        command = [*self._java(java), "kafka.tools.StorageTool", "format"]
        command += ["-t", cluster, "-c", str(properties)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            reason = (run.stderr + run.stdout).strip().splitlines()[-1:] or ["no reason given"]
            raise UserError(f"the broker's storage cannot be created in {self.data}: {reason[0]}")

    def _wait_until_ready(self, process: "subprocess.Popen[bytes] | None", pid: int) -> None:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            # first, since another program may be what answers
            ended = process.poll() is not None if process else not self._is_ours(pid)
            if _answers(self.port) and not ended:
                return
            if ended:
                self.pid_file.unlink(missing_ok=True)
                raise UserError(f"the local broker ended while starting: see {self.log_file}")
            time.sleep(0.2)
        raise UserError(
            f"the local broker does not answer after {START_SECONDS:.0f} s: see {self.log_file}"
        )

    def stop(self) -> bool:
        """Stop the broker: gracefully, and by force when that takes too long.

        Returns:
            False when it was not running.
        """
        if not self.directory.is_dir():
            return False
        with locked(LOCK, root=self.directory):
            return self._stop()

    def _stop(self) -> bool:
        running = self.running()
        if running is None:
            self.pid_file.unlink(missing_ok=True)
            return False
        pid, _ = running
        self._signal_and_wait(pid, signal.SIGTERM, STOP_SECONDS)
        if self._is_ours(pid):
            self._signal_and_wait(pid, signal.SIGKILL, STOP_SECONDS)
        self.pid_file.unlink(missing_ok=True)
        return True

    def _signal_and_wait(self, pid: int, number: int, seconds: float) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        until = time.monotonic() + seconds
        while time.monotonic() < until and self._is_ours(pid):
            # Only a child can be waited for; a broker that another process started cannot.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            time.sleep(0.1)


def _command_line(pid: int) -> str:
    if Path("/proc/self/cmdline").exists():
        # small images have no `ps`
        path = Path(f"/proc/{pid}/cmdline")
        try:
            line = path.read_bytes()
            if not line:
                # it is empty for the moment in which the shell becomes Java
                time.sleep(0.05)
                line = path.read_bytes()
        except OSError:
            return ""
        return os.fsdecode(line.replace(b"\0", b" "))
    # Wide twice: `ps` cuts the line at the width of the terminal otherwise.
    command = ["ps", "-ww", "-p", str(pid), "-o", "args="]
    return subprocess.run(command, capture_output=True, text=True).stdout


def _answers(port: int) -> bool:
    with contextlib.closing(socket.socket()) as connection:
        connection.settimeout(1)
        return connection.connect_ex(("127.0.0.1", port)) == 0


def _is_free(port: int) -> bool:
    with contextlib.closing(socket.socket()) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def java_property(text: str) -> str:
    r"""Return a text as a value in a file of Java's properties, which Java reads as Latin-1.

    >>> print(java_property("/a b\\é"))
    /a b\u005c\u00e9
    """
    units = text.encode("utf-16-be", "surrogatepass").hex()
    codes = [int(units[index : index + 4], 16) for index in range(0, len(units), 4)]
    return "".join(
        chr(code) if 0x20 <= code < 0x7F and code != ord("\\") else f"\\u{code:04x}"
        for code in codes
    )


def free_port() -> int:
    """Return a port of 127.0.0.1 that nothing listens on."""
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
