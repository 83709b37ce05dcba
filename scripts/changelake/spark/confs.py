"""Temporary settings of a Spark session."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def set_confs(spark: "SparkSession", confs: Mapping[str, str]) -> Generator[None]:
    """Set what a step needs, and restore the old values, since other steps may follow.

    Args:
        spark: the session.
        confs: the settings by name.
    """
    before = {name: spark.conf.get(name, None) for name in confs}
    for name, value in confs.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)
