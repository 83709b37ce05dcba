"""A lake that `run.py --every … --serve PORT` serves, by Spark's Thrift server in its process."""

import contextlib
import fcntl
import json
import os
import socket
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING

from changelake.core.errors import UserError
from changelake.core.settings import HOME_VARIABLE, local_path, location
from changelake.spark.jvm import java_packages, java_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Whoever can connect can run any statement as this user, so other machines cannot.
HOST = "127.0.0.1"
# A file of the lake, which the process that serves it keeps locked.
_FILE = "served.json"
_START_SECONDS = 30.0
_LOCK_SECONDS = 1.0
_RETRY_SECONDS = 0.05


@dataclass(frozen=True)
class Served:
    """A lake that is being served.

    Attributes:
        port: where the Thrift server listens.
        process: the number of the process that serves it.
    """

    port: int
    process: int


def served_lake() -> Served | None:
    """Return who serves the lake in CHANGELAKE_HOME, None if nobody does."""
    path = local_path(location(_FILE))
    # an empty file is that of a server that is about to start
    with contextlib.suppress(OSError, ValueError):
        if path is not None:
            with path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    return Served(**json.load(file))
    return None


class LakeServer:
    """Serves the lake of a session to other processes, for as long as this process lives.

    Args:
        port: where to listen, on the loopback address.

    Raises:
        UserError: the port cannot be had, or the lake is in a store.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._kept = ExitStack()
        self._serves = False
        if local_path(location()) is None:
            raise UserError(
                f"--serve needs a lake in a local directory: {HOME_VARIABLE} is {location()}; BI"
                " tools read one in a store through a cluster's Thrift server"
            )
        # the server would report it only in its log
        try:
            with socket.socket() as free:
                free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                free.bind((HOST, port))
        except OSError as error:
            raise UserError(
                f"--serve {port}: the port cannot be used: {error.strerror}: choose another"
            ) from None

    def begin(self, spark: "SparkSession") -> bool:
        """Serve the session's lake, unless this has begun, and say whether it begins now.

        Args:
            spark: a session that has the catalog open, and keeps it.

        Raises:
            UserError: another process serves this lake, or the server does not start.
        """
        if self._serves:
            return False
        path = local_path(location(_FILE))
        assert path is not None
        file = self._kept.enter_context(path.open("a"))
        self._lock(file)
        file.truncate(0)
        self._start(spark)
        file.write(json.dumps(asdict(Served(self._port, os.getpid()))))
        file.flush()
        self._serves = True
        return True

    def _lock(self, file: IO[str]) -> None:
        # a command that looks whether the lake is served has the lock for a moment
        until = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise UserError(
                        f"--serve {self._port}: another process is starting to serve this lake:"
                        " stop it"
                    ) from None
            time.sleep(_RETRY_SECONDS)

    def _start(self, spark: "SparkSession") -> None:
        java = java_packages(spark)
        scratch = location("spark", "scratch")
        # the server takes its settings from this thread's Hive client
        hive = java.org.apache.hadoop.hive.ql.session.SessionState.get().getConf()
        for name, value in {
            "hive.server2.thrift.bind.host": HOST,
            "hive.server2.thrift.port": str(self._port),
            "hive.server2.enable.doAs": "false",
            "hive.server2.logging.operation.enabled": "false",
            "hive.exec.scratchdir": scratch,
            "hive.exec.local.scratchdir": scratch,
        }.items():
            hive.set(name, value)
        # a large result would otherwise take the memory that a build needs
        java_session(spark).sparkContext().conf().set(
            "spark.sql.thriftServer.incrementalCollect", "true"
        )
        server = java.org.apache.spark.sql.hive.thriftserver.HiveThriftServer2
        server.startWithSparkSession(java_session(spark), False)
        until = time.monotonic() + _START_SECONDS
        while not _answers(self._port):
            if time.monotonic() >= until:
                raise UserError(f"--serve {self._port}: the server does not start: see spark.log")
            time.sleep(_RETRY_SECONDS)


def check_not_served() -> None:
    """Check that no other process serves the lake, and so keeps its catalog.

    Raises:
        UserError: one does.
    """
    if one := served_lake():
        raise UserError(
            f"the lake is served by process {one.process}, run.py --every … --serve, which keeps"
            " its catalog: stop it first; sql.py and onboard.py work meanwhile"
        )


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1):
        return True
    return False
