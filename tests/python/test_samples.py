"""The samples, built as by `dbt build`, in the tests' session, whose Java is warm.

The build starts with an empty catalog, so it comes last, see conftest.py. scripts/lint_sql.py lints
the SQL that it compiles.
"""

from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from changelake.build.report import GOOD
from changelake.core import settings

PROJECT = Path(__file__).parents[2]


def test_the_samples_build_from_nothing(
    spark: Any, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for database in spark.catalog.listDatabases():
        if database.name != "default":
            spark.sql(f"drop schema `{database.name}` cascade")
    # The tests' lake lies where target sample keeps its tables, see the fixture `lake`.
    monkeypatch.setenv(settings.HOME_VARIABLE, str(lake.parent))
    monkeypatch.chdir(PROJECT)
    done = dbtRunner().invoke(
        ["--quiet", "build", "--full-refresh", "--selector", "samples", "--target", "sample"]
    )
    assert done.exception is None
    # Its type depends on the command.
    result: Any = done.result
    built = [(one.node.name, str(one.status), one.message) for one in result.results]
    # Exposures are not built.
    assert [one for one in built if one[1] not in (*GOOD, "no-op")] == []
    assert {"canal_events", "every_value_is_exact"} <= {name for name, *_ in built}
