"""Spark's Java process: its start, its end, and what it writes to stderr."""

import atexit
import contextlib
import logging
import os
import threading
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
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.errors import PySparkRuntimeError

    context_class: Any = SparkContext  # for its private attributes
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
    try:
        gateway = java_gateway.launch_gateway(
            SparkConf(loadDefaults=False).setAll(list({**confs, JAVA_OPTIONS: options}.items())),
            # Spark creates a directory `artifacts` where it starts.
            {"stderr": write, "cwd": log.parent},
        )
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
    from pyspark import SparkContext

    context_class: Any = SparkContext  # for its private attributes
    if not (context := context_class._active_spark_context):
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
    from pyspark import SparkContext

    context_class: Any = SparkContext  # for its private attributes
    # py4j logs each object that it can no longer tell the JVM to forget.
    logging.disable(logging.CRITICAL)
    if context := context_class._active_spark_context:
        with contextlib.suppress(Exception):
            context.stop()
    with contextlib.suppress(Exception):
        process = context_class._gateway.proc
        process.stdin.close()
        process.wait(seconds)


def hush_pyspark() -> None:
    """Keep PySpark and py4j from logging to the terminal the errors that they also raise."""
    # PySpark logs each error with Java's stack trace before it raises it.
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    # So does py4j when Java ends, with its own traceback, through the root logger.
    logging.getLogger().addFilter(_is_not_of_py4j)


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
