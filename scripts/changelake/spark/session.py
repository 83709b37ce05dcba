"""The Spark session, with the configuration that the dbt profile has."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from changelake.core import settings, tuning
from changelake.core.errors import UserError, is_catalog_taken
from changelake.core.logs import under_spark_submit
from changelake.core.terminal import waiting
from changelake.spark import jars
from changelake.spark.derby import (
    CATALOG_WAIT_SECONDS,
    DERBY_URL,
    derby_directory,
    made_by_one,
    open_catalog,
    wait_for_derby,
    with_catalog,
)
from changelake.spark.java import find_java
from changelake.spark.jvm import MEMORY_VARIABLE, hush_pyspark, start_jvm
from changelake.spark.profile import profile_confs
from changelake.spark.serving import check_not_served

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS_VARIABLE = "CHANGELAKE_SHUFFLE_PARTITIONS"
PACKAGES_VARIABLE = "CHANGELAKE_SPARK_PACKAGES"
# These count only when this process starts the JVM; under spark-submit the cluster sets them.
LAUNCH_CONFS = ("spark.master", "spark.driver.", "spark.jars", "spark.executor.", "spark.app.name")
# Writers to an object store buffer on a local disk, which needs Hadoop's own class.
LOCAL_LAKE_CONFS = ("spark.hadoop.fs.file.impl", "spark.hadoop.fs.AbstractFileSystem.file.impl")
# A session without the catalog has no business in its directories.
CATALOG_CONFS = ("spark.sql.catalogImplementation", DERBY_URL)


def spark_session(
    app: str,
    target: str,
    hive: bool,
    wait_seconds: float = CATALOG_WAIT_SECONDS,
    doing: str = "starting Spark",
) -> "SparkSession":
    """Return the Spark session: the active one, or a new one as the profile describes it.

    Args:
        app: the application's name, for Spark's logs.
        target: whose configuration to use. Landing for cluster uses local's, since the profile's
            is for the Thrift server, which builds.
        hive: with the embedded Hive catalog. Landing needs none: it writes by path.
        wait_seconds: how long to wait, in seconds, for another process that has the catalog.
        doing: what a terminal shows meanwhile; empty: nothing.

    Raises:
        UserError: no suitable Java, or the catalog stays taken.
    """
    from pyspark.sql import SparkSession

    hush_pyspark()
    if active := SparkSession.getActiveSession():
        return active
    settings.export_home()
    submitted = under_spark_submit()
    confs = _confs("local" if target == settings.CLUSTER else target, hive, submitted)
    if not submitted:
        _check_machine(hive)
    check = check_not_served if hive and target == "local" else None
    if hive:
        if check:
            check()
        _make_directories(confs)
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
    with made_by_one(derby_directory(confs)):
        if hive:
            # a server may also start while this waits, and would then keep the catalog for days
            wait_for_derby(confs, wait_seconds, check)
        with waiting(doing):
            if not submitted:
                start_jvm(confs)
            spark = builder.getOrCreate()
        if hive:
            default = with_catalog(lambda: _default_database(spark, confs), wait_seconds, check)
            if derby_directory(confs):
                check_place(default.locationUri, confs["spark.sql.warehouse.dir"])
    return spark


def _confs(target: str, hive: bool, submitted: bool) -> dict[str, str]:
    """Return the part of a target's configuration that applies to this session."""
    confs = profile_confs(target)
    if submitted:
        confs = {k: v for k, v in confs.items() if not k.startswith(LAUNCH_CONFS)}
    if settings.local_path(settings.location()) is None:
        confs = {k: v for k, v in confs.items() if k not in LOCAL_LAKE_CONFS}
    if not hive:
        confs = {k: v for k, v in confs.items() if not k.startswith(CATALOG_CONFS)}
    if not confs.get("spark.master", "local").startswith("local"):
        # executors on other machines need the jars that the driver has on its class path
        confs["spark.jars"] = ",".join(map(str, sorted((settings.JARS / "spark").glob("*.jar"))))
    return confs


def _check_machine(hive: bool) -> None:
    # Spark would report these late, or less clearly.
    if hive:
        # its catalog is a local directory
        settings.home()
    settings.check_home()
    _check_variables()
    find_java()
    if not jars.present():
        raise UserError("the jars are missing: run `make setup`")


def _check_variables() -> None:
    # Spark would name its own setting, and late
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
            " away, and scripts/run.py rebuilds it from the lake's tables"
        ) from None


def check_place(made_at: str, warehouse: str) -> None:
    """Check that a lake has not been moved: its catalog holds absolute paths.

    Args:
        made_at: the warehouse's location in the catalog.
        warehouse: its present one.

    Raises:
        UserError: it was moved or copied.
    """
    before = Path(unquote(urlsplit(made_at).path))
    if before.resolve() != Path(warehouse).resolve():
        raise UserError(
            f"this lake was made in {before.parent}, and its catalog has its tables there: remove"
            f" {Path(warehouse).parent}/metastore_db, and scripts/run.py rebuilds it"
        )


def _make_directories(confs: dict[str, str]) -> None:
    if path := derby_directory(confs):
        path.parent.mkdir(parents=True, exist_ok=True)
