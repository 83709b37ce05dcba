"""Spark's Java process: its start, its end, what it writes to stderr, and its objects.

All that PySpark keeps in private attributes is read here.
"""

import atexit
import contextlib
import logging
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from changelake.core import tuning
from changelake.core.errors import UserError
from changelake.core.logs import log_file

JVM_END_SECONDS = 20.0
# beside log4j's own limit
STDERR_BYTES = 1_000_000
MEMORY_VARIABLE = "CHANGELAKE_SPARK_MEMORY"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# where profiles/log4j2.properties writes to
LOG_PROPERTY = "changelake.log"
# variables whose wrong value keeps Java from starting
LAUNCH_VARIABLES = ("CHANGELAKE_SPARK_MASTER", MEMORY_VARIABLE, tuning.JAVA_VARIABLE)


def start_jvm(confs: dict[str, str]) -> None:
    """Start Spark's Java process, unless this process has one; it ends with this process.

    Args:
        confs: Spark's configuration.

    Raises:
        UserError: it does not start.
    """
    from pyspark import SparkConf, java_gateway
    from pyspark.errors import PySparkRuntimeError

    context_class = _context_class()
    if context_class._gateway is not None:
        return
    log = log_file()
    log.parent.mkdir(parents=True, exist_ok=True)
    # For a lake in a store, the profile does not know the log's path. The last option wins.
    options = f'{confs.get(JAVA_OPTIONS, "")} "-D{LOG_PROPERTY}={log}"'
    # the JVM announces modules on stderr and cannot be told not to: that goes into the log
    read, write = os.pipe()
    said = threading.Thread(target=_log_stderr, args=(read, log), name="stderr", daemon=True)
    said.start()

    def launch() -> Any:
        return java_gateway.launch_gateway(
            SparkConf(loadDefaults=False).setAll(list({**confs, JAVA_OPTIONS: options}.items())),
            # Spark creates a directory `artifacts` where it starts.
            {"stderr": write, "cwd": log.parent},
        )

    # An interrupt there would remove the file in which Java is to say where it listens, and Java
    # would stay for good. It comes to this thread, and the process ends when the other has.
    launched = ThreadPoolExecutor(1).submit(launch)
    try:
        gateway = launched.result()
    except PySparkRuntimeError:
        os.close(write)
        said.join(1.0)
        named = [name for name in LAUNCH_VARIABLES if os.environ.get(name)]
        tried = "".join(f" ({name}={os.environ[name]})" for name in named)
        raise UserError(f"Spark's Java process does not start{tried}: see {log}") from None
    os.close(write)
    context_class._ensure_initialized(gateway=gateway)
    # It would outlive this process by a moment, and the next command would find the catalog taken.
    atexit.register(end_jvm, JVM_END_SECONDS)


def has_stopped() -> bool:
    """Say whether this process's Spark has stopped, as it does when it runs out of memory."""
    from py4j.protocol import Py4JError

    if not (context := active_context()):
        return False
    try:
        return bool(context._jsc.sc().isStopped())
    except (OSError, Py4JError):
        # Java has ended too
        return True


def end_jvm(seconds: float) -> None:
    """End Spark's Java process, if this one started it.

    Args:
        seconds: how long to wait for its end.
    """
    # py4j logs each object that it can no longer tell the JVM to forget.
    logging.disable(logging.CRITICAL)
    if context := active_context():
        with contextlib.suppress(Exception):
            context.stop()
    with contextlib.suppress(Exception):
        process = _context_class()._gateway.proc
        process.stdin.close()
        process.wait(seconds)


def kill_jvm() -> None:
    """Kill Spark's Java process, if this one started it, and wait until its locks are free."""
    with contextlib.suppress(Exception):
        pid = _context_class()._gateway.proc.pid
        os.kill(pid, signal.SIGKILL)
        # not with Popen.wait(), which a signal may have interrupted
        os.waitpid(pid, 0)


def active_context() -> Any:
    """Return this process's Spark context, None if there is none."""
    return _context_class()._active_spark_context


def java_packages(spark: Any) -> Any:
    """Return Java's packages as a session has them: `….java.time.Duration` is a class."""
    return spark.sparkContext._jvm


def java_session(spark: Any) -> Any:
    """Return the session of Java's that is behind PySpark's."""
    return spark._jsparkSession


def java_array(spark: Any, java_class: Any, *items: Any) -> Any:
    """Return an array of Java's."""
    array = spark.sparkContext._gateway.new_array(java_class, len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array


def hush_pyspark() -> None:
    """Keep PySpark and py4j from logging to the terminal the errors that they also raise."""
    # PySpark logs each error with Java's stack trace before it raises it.
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    # So does py4j when Java ends, with its own traceback, through the root logger.
    logging.getLogger().addFilter(_is_not_of_py4j)


def _context_class() -> Any:
    # without its type, which lacks the private attributes
    from pyspark import SparkContext

    return SparkContext


def _log_stderr(pipe: int, log: Path) -> None:
    """Append Java's stderr to the log, up to a limit; the rest is dropped.

    Args:
        pipe: the reading end of its stderr.
        log: opened for each piece, since log4j may have rolled it over.
    """
    left = STDERR_BYTES
    with open(pipe, "rb", buffering=0) as stderr:
        while piece := stderr.read(1 << 16):
            if left > 0:
                with contextlib.suppress(OSError), log.open("ab") as file:
                    file.write(piece[:left])
            left -= len(piece)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"
