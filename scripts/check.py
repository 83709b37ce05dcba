#!/usr/bin/env python3
"""Runs the checks: what `make test`, `make test-all` and `make test-<area>` call."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from changelake.core import settings, tuning
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
BIN = Path(sys.executable).parent
COMMANDS = "tests/python/test_commands.py"
STATE = "tests/python/test_state.py"
CLUSTER = "tests/python/test_cluster.py"
OTHER_PROJECT = "tests/python/test_other_project.py"
CONFORMANCE = "tests/conformance"
SOURCES = "tests/sources"
# each checks what a whole lake contains
WHOLE_LAKES = tuple(f"tests/python/test_{name}.py" for name in ("health", "reconcile", "upkeep"))
# Tests that build share one copy of the project in their process; these need it for themselves.
ALONE = (COMMANDS, STATE, CLUSTER, OTHER_PROJECT, CONFORMANCE, *WHOLE_LAKES)
# The tests that a change to one part is most likely to break, in less than four minutes each. Each
# row is a lane.
AREAS: dict[str, tuple[tuple[str, ...], ...]] = {
    "parsers": (("parsers", "scaffold"), ("contract", "broken_messages")),
    "values": (("project",),),
    "state": (("state",), ("order", "transactions", "documents", "watermarks", "time_zones")),
    "landing": (
        ("landing", "landing_report", "landing_security"),
        ("unread", "upkeep", "hadoop_files", "registry", "landing_faults"),
    ),
    "onboarding": (
        ("evolution", "onboarding", "schema_files", "generated_files", "types"),
        ("first_changes",),
    ),
    "scripts": (
        (
            "broker", "build", "sql", "terminal", "feeds", "files", "locks", "log", "catalog",
            "class_archive", "shared", "demo", "long_texts", "targets", "check",
            "mutations", "docs", "packages",
        ),
    ),
}  # fmt: skip
# The tests of no area, and why.
NO_AREA = {
    "regular_expressions": "each expression over texts of a megabyte takes minutes",
    "end_to_end": "thorough",
    "dms": "thorough",
    "renames": "thorough",
    "late_changes": "thorough",
    "pairs": "thorough",
    "other_project": "thorough",
    "health": "thorough",
    "reconcile": "thorough",
    "commands": "thorough",
    "cluster": "thorough",
    "faults": "damage",
    "samples": "what `make demo` builds, from their seeds: two minutes",
}


def _files(names: Sequence[str]) -> list[Path | str]:
    return [f"tests/python/test_{one}.py" for one in names]


PARSERS = _files([*chain(*AREAS["parsers"]), "regular_expressions"])
# a minute of it runs with the other tests, so that the lanes take equally long
LANDING = [one for one in _files(AREAS["landing"][0]) if "security" not in str(one)]
READING = [one for one in _files(AREAS["landing"][1]) if one not in ALONE]
ONBOARDING = _files(AREAS["onboarding"][0])
# It empties the catalog of its process, and so runs last there: see conftest.py.
SAMPLES = "tests/python/test_samples.py"
# Each decoder at its extremes: a dbt test that needs no table.
EXACT_VALUES_TEST = "every_value_is_exact"
QUICK = "not damage and not thorough"
Step = tuple[str, list[Path | str]]


def _pytest(path: str, *options: str, before: Sequence[str] = ()) -> Step:
    return f"pytest: {path}", [*before, BIN / "pytest", path, *options]


def _project(*options: str) -> Step:
    others = (*ALONE, *PARSERS, *READING, *LANDING, *ONBOARDING, SAMPLES)
    ignored = (f"--ignore={one}" for one in others)
    return "pytest: the other tests, in one process", [BIN / "pytest", *ignored, *options]


# In each process, Java compiles what runs most, which takes two minutes of CPU: so there is one
# process per lane, and the lanes are about equally long.
def _tables(*options: str) -> Step:
    # The parsers come first: their messages of 21 MB need memory that Spark would later hold for
    # thousands of queries.
    files = (*PARSERS, *READING, STATE)
    return "pytest: the parsers and the tables", [BIN / "pytest", *files, *options]


def _landing(*options: str) -> Step:
    files = (*LANDING, *ONBOARDING, SAMPLES)
    return "pytest: landing, onboarding and the samples", [BIN / "pytest", *files, *options]


LINT: list[Step] = [
    ("Python: ruff", [BIN / "ruff", "check", "."]),
    ("Python: format", [BIN / "ruff", "format", "--check", "."]),
]
# pyright would otherwise look for a newer release of itself on PyPI
PYRIGHT: Step = (
    "Python: pyright",
    ["env", "PYRIGHT_PYTHON_IGNORE_WARNINGS=true", BIN / "pyright"],
)
# lints what the samples' build has compiled
SQLFLUFF: Step = ("SQL: sqlfluff", [sys.executable, "scripts/lint_sql.py"])
# Planning keeps one core busy, and hardly any test has data for two; but tests also wait, for
# brokers and processes. Two lanes leave a quarter of two cores idle, three leave none
# (docs/decisions/0006-tests.md). The longest starts first, so that all end together.
AT_ONCE = 3
LANES: list[list[Step]] = [
    [_project("-m", QUICK), PYRIGHT],
    [_tables("-m", QUICK)],
    [_landing("-m", QUICK), SQLFLUFF],
]
WITH_CODEGEN = ("env", f"{tuning.CODEGEN_VARIABLE}=true")
# for tests that start one short command after another
SHORT_JAVA = f"{tuning.JAVA_VARIABLE}={tuning.LITTLE_DATA[tuning.JAVA_VARIABLE]}"
SHORT_JAVA_ENV = () if tuning.JAVA_VARIABLE in os.environ else ("env", SHORT_JAVA)
KILLS = [sys.executable, "tests/faults/kills.py", "--kills", "20", "--seed", "21"]
ALL_LANES: list[list[Step]] = [
    [_tables()],
    [_project(), PYRIGHT],
    [_landing(), SQLFLUFF],
]
# What is left out if time is short, and how many minutes each takes at most: on a slow machine,
# with two other lanes running.
LATER_LANES: list[tuple[int, list[Step]]] = [
    # The others run without generated code: this one covers every dialect and type, and the tables.
    (45, [_pytest(CONFORMANCE, before=WITH_CODEGEN)]),
    (40, [("20 kills at random moments", [*SHORT_JAVA_ENV, *KILLS])]),
    (35, [_pytest(COMMANDS, before=SHORT_JAVA_ENV)]),
    (15, [_pytest(CLUSTER, before=SHORT_JAVA_ENV), _pytest(OTHER_PROJECT)]),
    (35, [_pytest(one) for one in WHOLE_LAKES]),
    (35, [_pytest(SOURCES, "-rs")]),
]


@app.command()
@one_line_errors
def main(
    home: Annotated[
        Path | None,
        typer.Option(help="Where to build the sample lake; by default CHANGELAKE_HOME."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also the thorough tests, 20 kills and the real sources.")
    ] = False,
    area: Annotated[
        str, typer.Option(help=f"Only the quick tests of one part: {', '.join(AREAS)}.")
    ] = "",
    within: Annotated[
        float,
        typer.Option(
            help="With --all: leave out later parts that may not end within so many seconds."
        ),
    ] = math.inf,
) -> None:
    """Lint, build and test the samples, lint the compiled SQL, run pytest with the real broker."""
    if area and (everything or area not in AREAS):
        raise UserError(f"--area takes one of {', '.join(AREAS)}, without --all")
    if within < math.inf and not everything:
        raise UserError("--within leaves out parts of --all: give that too")
    if home:
        os.environ[settings.HOME_VARIABLE] = str(home.absolute())
    tuning.expect_little_data(for_minutes=True)
    checks = Checks(Console(highlight=False))
    if area:
        lanes = area_lanes(area)
    else:
        checks.run(LINT)
        lanes = ALL_LANES if everything else LANES
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = [pool.submit(checks.run, lane) for lane in lanes]
        if everything:
            for minutes, lane in LATER_LANES:
                running.append(pool.submit(checks.run, lane, within - 60 * minutes))
        for one in running:
            one.result()
    if checks.failed:
        raise UserError(f"{checks.failed[0]}: failed, see above")


def area_lanes(area: str) -> list[list[Step]]:
    """Return the lanes of a part's quick tests."""
    lanes: list[list[Step]] = []
    for names in AREAS[area]:
        command = [BIN / "pytest", *_files(names), "-m", QUICK]
        lanes.append([(f"pytest: {area}, {names[0]}", command)])
    if area == "values":
        test = [BIN / "dbt", "test", "--select", EXACT_VALUES_TEST]
        lanes.append([(f"dbt test: {EXACT_VALUES_TEST}", test)])
    return lanes


class Checks:
    """Runs lanes of steps, each in its own thread; the output of a step stays together."""

    def __init__(self, console: Console) -> None:
        self.failed: list[str] = []
        self._console = console
        self._begun = time.monotonic()
        self._lock = threading.Lock()

    def run(self, lane: list[Step], until: float = math.inf) -> None:
        """Run the steps of a lane, until one of any lane fails.

        Args:
            lane: its steps.
            until: it is left out if more seconds than this have passed.
        """
        passed = time.monotonic() - self._begun
        if passed > until:
            for name, _ in lane:
                self._say(f"{name}: left out, {passed / 60:.0f} minutes have passed")
            return
        for name, command in lane:
            if self.failed:
                return
            self._say(f"{name}: begun")
            begun = time.monotonic()
            with tempfile.TemporaryFile() as output:
                process = subprocess.Popen(
                    [str(part) for part in command],
                    cwd=settings.REPO,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
                # unlike wait(), it reports the CPU time of the process and of its children
                _, status, used = os.wait4(process.pid, 0)
                code = process.returncode = os.waitstatus_to_exitcode(status)
                output.seek(0)
                text = output.read().decode(errors="replace")
            if code:
                self.failed.append(name)
            self._say(
                f"\n[bold]{name}[/]",
                text,
                f"{'failed' if code else 'ok'}, {time.monotonic() - begun:.0f} s,"
                f" {used.ru_utime + used.ru_stime:.0f} s of CPU",
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
