"""Shared fixtures of the tests with real sources: Spark, broker, copy of the project, jars."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from changelake.core import settings
from changelake.reconcile.databases import DRIVERS
from changelake.spark import jars
from changelake.spark.session import PACKAGES_VARIABLE
from pipeline import Pipeline
from python.conftest import broker, lake, project, spark
from servers import Kind, Server, Start

__all__ = ["broker", "lake", "project", "spark"]
# Spark reads them when it starts.
os.environ[PACKAGES_VARIABLE] = f"{DRIVERS['mariadb']},{DRIVERS['postgresql']}"
IVY_FILE = Path(__file__).with_name("ivy.xml")


@pytest.fixture(scope="session")
def source_jars() -> Path:
    """The producers' jars, with one folder per configuration."""
    place = settings.JARS.with_name(".jars-sources")
    jars.fetch(place, IVY_FILE)
    return place


@pytest.fixture(scope="session")
def pipeline(spark: Any, broker: str, project: Path) -> Pipeline:
    """Lands, builds, onboards and compares."""
    return Pipeline(spark, broker, project)


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts database servers; skips the test where their programs are missing."""
    servers: list[Server] = []

    def started(kind: type[Kind]) -> Kind:
        if kind.missing:
            pytest.skip(kind.missing)
        server = kind()
        servers.append(server)
        return server

    yield started
    for server in servers:
        server.stop()
