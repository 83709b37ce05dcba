"""The Spark session, with the configuration that the dbt profile has."""

import atexit
import contextlib
import logging
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import unquote, urlsplit

import jinja2
import yaml

from changelake.core import settings, tuning
from changelake.core.errors import UserError, is_catalog_taken
from changelake.core.logs import log_file, under_spark_submit
from changelake.spark import jars
from changelake.spark.derby import (
    CATALOG_WAIT_SECONDS,
    DERBY_URL,
    derby_directory,
    open_catalog,
    wait_for_derby,
    with_catalog,
)
from changelake.spark.java import find_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

JVM_END_SECONDS = 20.0
# beside log4j's own limit
STDERR_BYTES = 1_000_000
# its name in dbt_project.yml
PROFILE = "changelake"
PARTITIONS_VARIABLE = "CHANGELAKE_SHUFFLE_PARTITIONS"
MEMORY_VARIABLE = "CHANGELAKE_SPARK_MEMORY"
PACKAGES_VARIABLE = "CHANGELAKE_SPARK_PACKAGES"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
# where profiles/log4j2.properties writes to
LOG_PROPERTY = "changelake.log"
# What only counts when this process starts the JVM; under spark-submit it is the cluster's affair.
LAUNCH_CONFS = ("spark.master", "spark.driver.", "spark.jars", "spark.executor.", "spark.app.name")
# where a wrong value keeps Java from starting
LAUNCH_VARIABLES = ("CHANGELAKE_SPARK_MASTER", MEMORY_VARIABLE, tuning.JAVA_VARIABLE)
# What writes into a store first writes to a disk, with Hadoop's own class for that.
LOCAL_LAKE_CONFS = ("spark.hadoop.fs.file.impl", "spark.hadoop.fs.AbstractFileSystem.file.impl")
# A session without the catalog has no business in its directories.
CATALOG_CONFS = ("spark.sql.catalogImplementation", DERBY_URL)


def _env_var(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise UserError(f"the environment variable {name}, which the profile needs, is not set")
    return value


def profile_file() -> Path:
    """Return the profile that dbt reads: in DBT_PROFILES_DIR if that is set, else the project's."""
    directory = os.environ.get(settings.PROFILES_VARIABLE)
    return Path(directory) / "profiles.yml" if directory else settings.PROFILES


def profile_target(target: str, edit: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a target of the profile, with its `env_var(…)` calls rendered as dbt does it.

    Args:
        target: its name: sample, local or cluster.
        edit: what is done to each text before it is rendered.

    Raises:
        UserError: no such target, or the profile is missing or broken.
    """
    settings.check_target(target)
    file = profile_file()
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    for name in ("as_number", "as_bool", "as_native", "as_text"):
        environment.filters[name] = lambda value: value

    def render(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: render(value) for key, value in cast(dict[str, Any], node).items()}
        if isinstance(node, list):
            return [render(value) for value in cast(list[Any], node)]
        if not isinstance(node, str):
            return node
        node = edit(node)
        if "{" not in node:
            return node
        # a text that is one expression has its value, and none is no text
        if whole := re.fullmatch(r"{{([^{}]*)}}", node):
            expression = environment.compile_expression(whole[1], undefined_to_none=False)
            return expression(env_var=_env_var)
        return environment.from_string(node).render(env_var=_env_var)

    try:
        profiles = yaml.safe_load(file.read_text(encoding="utf-8"))
        if PROFILE not in profiles:
            raise UserError(
                f"the profile {file} has no {PROFILE!r}: add it, as {settings.PROFILES} has it"
            )
        outputs = profiles[PROFILE]["outputs"]
        # Only this target: another one's variables need not be set.
        return render(outputs[target])
    except UnicodeDecodeError:
        raise UserError(f"the profile {file} is not UTF-8: save it as that") from None
    except OSError as error:
        variable = settings.PROFILES_VARIABLE
        origin = f": it comes from {variable}" if os.environ.get(variable) else ""
        raise UserError(f"the profile {file} cannot be read: {error.strerror}{origin}") from None
    except (yaml.YAMLError, jinja2.TemplateError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"the profile {file} is broken: {reason}: write it as {settings.PROFILES} is"
        ) from None
    except KeyError:
        raise UserError(
            f"the profile {file} has no target {target!r}: add it, as {settings.PROFILES} has it"
        ) from None


def profile_confs(target: str) -> dict[str, str]:
    """Return the Spark configuration of a target, with the repository's paths made absolute."""
    # dbt runs in the repository; a script may run from anywhere. As the profile has them: the
    # lake's own path may hold such a part too.
    relative = re.compile(r"(?<![\w./])(?:\./)?(?=(?:\.jars|profiles)/)")
    edited = profile_target(target, lambda text: relative.sub(lambda _: f"{settings.REPO}/", text))
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in edited.get("server_side_parameters", {}).items()
    }


def spark_session(
    app: str, target: str, hive: bool, wait_seconds: float = CATALOG_WAIT_SECONDS
) -> "SparkSession":
    """Return the Spark session: the active one, or a new one as the profile describes it.

    Args:
        app: the application's name, for Spark's logs.
        target: whose configuration. What lands for cluster has that of local: the profile's is for
            the Thrift server, which builds.
        hive: with the embedded Hive catalog. Landing needs none: it writes by path.
        wait_seconds: how long to wait, in seconds, for another process that has the catalog.

    Raises:
        UserError: no suitable Java, or the catalog stays taken.
    """
    from pyspark.sql import SparkSession

    _hush_pyspark()
    if active := SparkSession.getActiveSession():
        return active
    settings.export_home()
    confs = profile_confs("local" if target == settings.CLUSTER else target)
    submitted = under_spark_submit()
    if submitted:
        confs = {k: v for k, v in confs.items() if not k.startswith(LAUNCH_CONFS)}
    else:
        if hive:
            # its catalog is a local directory
            settings.home()
        settings.check_home()
        _check_variables()
        find_java()
        if not jars.present():
            raise UserError("the jars are missing: run `make setup`")
    if settings.local_path(settings.location()) is None:
        confs = {k: v for k, v in confs.items() if k not in LOCAL_LAKE_CONFS}
    if not hive:
        confs = {k: v for k, v in confs.items() if not k.startswith(CATALOG_CONFS)}
    else:
        _make_directories(confs)
        wait_for_derby(confs, wait_seconds)
    if not confs.get("spark.master", "local").startswith("local"):
        # what the class path gives to the driver, for the executors on other machines
        confs["spark.jars"] = ",".join(map(str, sorted((settings.JARS / "spark").glob("*.jar"))))
    builder = SparkSession.builder.appName(app)
    if not submitted and "spark.master" not in confs:
        builder = builder.master("local[*]")
    for key, value in confs.items():
        builder = builder.config(key, value)
    if hive:
        builder = builder.enableHiveSupport()
    if not submitted:
        # the Python of this process, not the one that PATH happens to find first
        os.environ["PYSPARK_PYTHON"] = sys.executable
        _start_jvm(confs)
    spark = builder.getOrCreate()
    if hive:
        default = with_catalog(lambda: _default_database(spark, confs), wait_seconds)
        if derby_directory(confs):
            check_place(default.locationUri, confs["spark.sql.warehouse.dir"])
    return spark


def _check_variables() -> None:
    # Spark itself says of these which of its own settings is wrong, and late
    for name, pattern, example in (
        (tuning.CODEGEN_VARIABLE, "true|false", "true or false"),
        (MEMORY_VARIABLE, r"\d+[kmgtKMGT]?b?", "a size such as 3g"),
        (PARTITIONS_VARIABLE, r"0*[1-9]\d*", "a number such as 4"),
    ):
        if (value := os.environ.get(name)) is not None and not re.fullmatch(pattern, value):
            raise UserError(f"{name}={value}: write {example}, or unset it")


def _default_database(spark: "SparkSession", confs: dict[str, str]) -> Any:
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException

    try:
        open_catalog(spark)
        return spark.catalog.getDatabase("default")
    except (AnalysisException, Py4JJavaError) as error:
        if is_catalog_taken(error) or not (directory := derby_directory(confs)):
            raise
        raise UserError(
            f"the catalog in {directory} cannot be opened: where it is damaged, move that directory"
            " away, and scripts/run.py makes it anew from the lake's tables"
        ) from None


def check_place(made_at: str, warehouse: str) -> None:
    """Check that a lake lies where it was made, where its catalog has its tables.

    Args:
        made_at: where its warehouse was then, as the catalog has it.
        warehouse: where it is.

    Raises:
        UserError: it was moved or copied.
    """
    before = Path(unquote(urlsplit(made_at).path))
    if before.resolve() != Path(warehouse).resolve():
        raise UserError(
            f"this lake was made in {before.parent}, and its catalog has its tables there: remove"
            f" {Path(warehouse).parent}/metastore_db, and scripts/run.py makes it anew"
        )


def _log_stderr(pipe: int, log: Path) -> None:
    """Append to the log what Java says without a logger, to a limit; what comes then is dropped.

    Args:
        pipe: where it comes from.
        log: opened for each piece, as log4j may have begun a new file by then.
    """
    left = STDERR_BYTES
    with open(pipe, "rb", buffering=0) as stderr:
        while piece := stderr.read(1 << 16):
            if left > 0:
                with contextlib.suppress(OSError), log.open("ab") as file:
                    file.write(piece[:left])
            left -= len(piece)


def _start_jvm(confs: dict[str, str]) -> None:
    # The JVM announces modules on stderr, whatever one asks: into the log with that.
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.errors import PySparkRuntimeError

    context_class: Any = SparkContext  # names with _ are its own
    if context_class._gateway is not None:
        return
    log = log_file()
    log.parent.mkdir(parents=True, exist_ok=True)
    # For a lake in a store the profile does not know the place. The last one counts.
    options = f'{confs.get(JAVA_OPTIONS, "")} "-D{LOG_PROPERTY}={log}"'
    read, write = os.pipe()
    said = threading.Thread(target=_log_stderr, args=(read, log), name="stderr", daemon=True)
    said.start()
    try:
        gateway = java_gateway.launch_gateway(
            SparkConf(loadDefaults=False).setAll(list({**confs, JAVA_OPTIONS: options}.items())),
            # Spark leaves a directory `artifacts` where it starts.
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
    """Say whether this process's Spark has stopped, as it does where its memory is too small."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    context_class: Any = SparkContext  # names with _ are its own
    if not (context := context_class._active_spark_context):
        return False
    try:
        return bool(context._jsc.sc().isStopped())
    except (OSError, Py4JError):
        # so has its Java
        return True


def end_jvm(seconds: float) -> None:
    """End Spark's Java process, if this one started it.

    Args:
        seconds: how long to wait for its end.
    """
    from pyspark import SparkContext

    context_class: Any = SparkContext  # names with _ are its own
    # py4j logs each object that it can no longer tell the JVM to forget.
    logging.disable(logging.CRITICAL)
    if context := context_class._active_spark_context:
        with contextlib.suppress(Exception):
            context.stop()
    with contextlib.suppress(Exception):
        process = context_class._gateway.proc
        process.stdin.close()
        process.wait(seconds)


def _hush_pyspark() -> None:
    # PySpark logs each error that it raises, with Java's stack trace, and then raises it.
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    # So does py4j when Java ends, with its own traceback, by the root logger.
    logging.getLogger().addFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _make_directories(confs: dict[str, str]) -> None:
    if path := derby_directory(confs):
        path.parent.mkdir(parents=True, exist_ok=True)
