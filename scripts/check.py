#!/usr/bin/env python3
"""Runs every check: what `make test` calls."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from changelake import settings
from changelake.errors import UserError, one_line_errors

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
BIN = Path(sys.executable).parent
ALONE = (
    "tests/python/test_landing.py",
    "tests/python/test_commands.py",
    "tests/python/test_state.py",
    "tests/conformance",
)


@app.command()
@one_line_errors
def main(
    home: Annotated[
        Path | None,
        typer.Option(help="Where to build the sample lake; by default CHANGELAKE_HOME."),
    ] = None,
) -> None:
    """Lint, build and test the samples, lint the compiled SQL, run pytest with the real broker."""
    console = Console(highlight=False)
    if home:
        os.environ[settings.HOME_VARIABLE] = str(home.absolute())
    settings.expect_little_data()
    steps = [
        ("Python: ruff", [BIN / "ruff", "check", "."]),
        ("Python: format", [BIN / "ruff", "format", "--check", "."]),
        ("the samples: dbt build, from nothing", [BIN / "dbt", "build", "--full-refresh"]),
        ("the samples: dbt test", [BIN / "dbt", "test", "--exclude", "test_type:unit"]),
        ("SQL: sqlfluff", [sys.executable, "scripts/lint_sql.py"]),
        # Tests that build take a copy for the project, in the whole process; landing needs its own.
        (
            "pytest: the project, end to end",
            [BIN / "pytest", *(f"--ignore={one}" for one in ALONE)],
        ),
        *((f"pytest: {one}", [BIN / "pytest", one]) for one in ALONE),
    ]
    for name, command in steps:
        console.print(f"\n[bold]{name}[/]")
        begun = time.monotonic()
        code = subprocess.run([str(part) for part in command], cwd=settings.REPO).returncode
        if code:
            raise UserError(f"{name}: failed, see above")
        console.print(f"ok, {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    app()
