#!/usr/bin/env python3
"""Runs every check: what `make test` calls."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from changelake import settings
from changelake.errors import UserError, one_line_errors

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
BIN = Path(sys.executable).parent
# Tests that build take a copy for the project, in the whole process; these need their own.
ALONE = (
    "tests/python/test_landing.py",
    "tests/python/test_commands.py",
    "tests/python/test_state.py",
    "tests/python/test_cluster.py",
    "tests/conformance",
)
Step = tuple[str, list[Path | str]]


def _pytest(path: str, *before: str) -> Step:
    return f"pytest: {path}", [*before, BIN / "pytest", path]


LANDING, COMMANDS, STATE, CLUSTER = map(_pytest, ALONE[:4])
# The others go without generated code: this one has every dialect, every type and the tables.
CONFORMANCE = _pytest(ALONE[4], "env", f"{settings.CODEGEN_VARIABLE}=true")
FIRST: list[Step] = [
    ("Python: ruff", [BIN / "ruff", "check", "."]),
    ("Python: format", [BIN / "ruff", "format", "--check", "."]),
]
PROJECT: Step = (
    "pytest: the project, end to end",
    [BIN / "pytest", *(f"--ignore={one}" for one in ALONE)],
)
SAMPLES: list[Step] = [
    (
        "the samples: dbt build, from nothing",
        [BIN / "dbt", "build", "--full-refresh", "--selector", "samples"],
    ),
    ("SQL: sqlfluff", [sys.executable, "scripts/lint_sql.py"]),
]
# Two at a time: planning keeps one core busy, and hardly any test has data for two. The longest
# begins first, and the shortest comes last, so that both end together.
AT_ONCE = 2
LANES: list[list[Step]] = [
    [STATE],
    SAMPLES,
    [PROJECT],
    [CONFORMANCE],
    [COMMANDS],
    [CLUSTER],
    [LANDING],
]


@app.command()
@one_line_errors
def main(
    home: Annotated[
        Path | None,
        typer.Option(help="Where to build the sample lake; by default CHANGELAKE_HOME."),
    ] = None,
) -> None:
    """Lint, build and test the samples, lint the compiled SQL, run pytest with the real broker."""
    if home:
        os.environ[settings.HOME_VARIABLE] = str(home.absolute())
    settings.expect_little_data()
    checks = Checks(Console(highlight=False))
    checks.run(FIRST)
    with ThreadPoolExecutor(AT_ONCE) as lanes:
        list(lanes.map(checks.run, LANES))
    if checks.failed:
        raise UserError(f"{checks.failed[0]}: failed, see above")


class Checks:
    """Runs steps, each lane of them in a thread of its own; what a step prints stays together."""

    def __init__(self, console: Console) -> None:
        self.failed: list[str] = []
        self._console = console
        self._lock = threading.Lock()

    def run(self, steps: list[Step]) -> None:
        """Run steps one after the other, until one of any lane fails."""
        for name, command in steps:
            if self.failed:
                return
            self._say(f"{name}: begun")
            begun = time.monotonic()
            with tempfile.TemporaryFile() as output:
                code = subprocess.run(
                    [str(part) for part in command],
                    cwd=settings.REPO,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                ).returncode
                output.seek(0)
                text = output.read().decode(errors="replace")
            if code:
                self.failed.append(name)
            self._say(
                f"\n[bold]{name}[/]",
                text,
                f"{'failed' if code else 'ok'}, {time.monotonic() - begun:.0f} s",
            )

    def _say(self, head: str, text: str = "", end: str = "") -> None:
        with self._lock:
            self._console.print(head)
            if text:
                sys.stdout.write(text)
                sys.stdout.flush()
            if end:
                self._console.print(end)


if __name__ == "__main__":
    app()
