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
from changelake.dev.demo_report import SHOWN
from lint_sql import CURRENT

PROJECT = Path(__file__).parents[2]
# Of each dialect those with the most columns, which `make demo` builds too, and what lint_sql.py
# lints; the others are left to the thorough tests.
QUICK = SHOWN | {Path(file).stem for file in CURRENT}
TABLES = {file.stem for file in (PROJECT / "models" / "current" / "samples").glob("*.sql")}


def test_the_samples_build_from_nothing(
    spark: Any, lake: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    is_quick = "not thorough" in request.config.option.markexpr
    left_out = sorted(TABLES - QUICK) if is_quick else []
    for database in spark.catalog.listDatabases():
        if database.name != "default":
            spark.sql(f"drop schema `{database.name}` cascade")
    # The tests' lake lies where target sample keeps its tables, see the fixture `lake`.
    monkeypatch.setenv(settings.HOME_VARIABLE, str(lake.parent))
    monkeypatch.chdir(PROJECT)
    # test_parsers.py runs the unit tests, all of a model in one query; dbt has to run one too.
    built = _results("build", "--full-refresh", "--exclude", "test_type:unit", *left_out)
    tested = _results("test", "--select", "canal__insert")
    # Exposures are not built.
    passed = (*GOOD, "no-op")
    assert [one for one in built + tested if one[1] not in passed] == []
    due = {"canal_events", "every_value_is_exact", *TABLES} - {*left_out}
    assert due <= {name for name, *_ in built}
    assert "canal__insert" in {name for name, *_ in tested}


def _results(*arguments: str) -> list[tuple[str, str, str | None]]:
    """Return the name, status and message of each node of a dbt command."""
    done = dbtRunner().invoke(["--quiet", *arguments, "--target", "sample"])
    assert done.exception is None
    # Its type depends on the command.
    result: Any = done.result
    return [(one.node.name, str(one.status), one.message) for one in result.results]
