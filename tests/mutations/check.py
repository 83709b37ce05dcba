#!/usr/bin/env python3
"""Applies each fault in faults.json to a copy of the project, and checks that its test fails."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated

import typer

from changelake.core import settings, tuning
from changelake.core.errors import UserError
from changelake.core.cli import one_line_errors
from changelake.core.terminal import Terminal
from check import ALONE, QUICK

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
FAULTS = Path(__file__).with_name("faults.json")
TIERS = ("make test", "make test-all")
# Installed files are linked, not copied.
LINKED = (".venv", ".jars")
TEST_SECONDS = 900.0
# How much of the output of an unexpected result is shown.
SHOWN_LINES = 30
# What each command prints when its tests pass, when one fails, and when one is broken: it cannot
# start, or Spark does not accept its SQL.
SAYS = {
    "pytest": (r"^\d+ passed(, \d+ warnings?)? in ", r"^\d+ failed\b.* in ", r"\b\d+ errors? in "),
    "python": (r"^\w+: (\d+) of \1 cases pass", r"^\w+: \d+ of \d+ cases pass", r"│ error +│"),
    "dbt": (r"\bof \d+ PASS ", r"\bFAIL [1-9]\d* ", r"\bof \d+ ERROR "),
}


@dataclass(frozen=True)
class Fault:
    """A deliberate mistake in one place.

    Attributes:
        name: what is wrong with it.
        area: the part of the project.
        file: its path from the root of the repository.
        old: the correct text, which occurs once.
        new: the text that replaces it.
        test: the command that must fail; its first word is a program in `.venv/bin`.
        tier: the make target that runs this test.
    """

    name: str
    area: str
    file: str
    old: str
    new: str
    test: str
    tier: str

    @property
    def command(self) -> list[str]:
        """The words of the test's command; pytest gets the tier's own selection of tests."""
        program, *rest = shlex.split(self.test)
        marked = ["-m", QUICK] if program == "pytest" and self.tier == TIERS[0] else []
        return [program, *marked, *rest]


@app.command()
@one_line_errors
def main(
    only: Annotated[
        list[str] | None, typer.Option(help="Only the fault of this name. Can be repeated.")
    ] = None,
    at_once: Annotated[int, typer.Option(min=1, help="How many tests run side by side.")] = 1,
    outputs: Annotated[
        Path | None, typer.Option(help="Where to leave what each fault's test printed.")
    ] = None,
) -> None:
    """Check that each deliberate fault is caught by a test that passes without it."""
    faults = read_faults()
    if unknown := set(only or []) - {fault.name for fault in faults}:
        raise UserError(f"{FAULTS.name} has no fault {', '.join(sorted(unknown))}")
    faults = [fault for fault in faults if not only or fault.name in only]
    tuning.expect_little_data()
    if outputs:
        outputs.mkdir(parents=True, exist_ok=True)
    terminal = Terminal(soft_wrap=True)

    def passes(command: list[str]) -> bool:
        run = Run(command)
        shown = shlex.join(command)
        terminal.print(f"{'passes' if run.passes else 'FAILS'}, {run.seconds:.0f} s: {shown}")
        if not run.passes:
            terminal.print(run.end)
        return run.passes

    def catches(fault: Fault) -> bool:
        run = Run(fault.command, fault)
        said = "caught" if run.fails else "NOT CAUGHT"
        terminal.print(f"{fault.name:42} {fault.area:10} {said:10} {run.seconds:4.0f} s")
        if not run.fails:
            terminal.print(run.end)
        if outputs:
            (outputs / f"{fault.name}.txt").write_text(run.output)
        return run.fails

    with ThreadPoolExecutor(at_once) as lanes:
        if not all(list(lanes.map(passes, without_faults(faults)))):
            raise UserError("a test fails without any fault, see above")
        caught = dict(zip(faults, lanes.map(catches, faults), strict=True))
    by_tier = [sum(caught[one] for one in faults if one.tier == tier) for tier in TIERS]
    missed = len(faults) - sum(by_tier)
    terminal.print(
        f"{len(faults)} faults, {by_tier[0]} caught by {TIERS[0]}, {by_tier[1]} by {TIERS[1]},"
        f" {missed} not caught"
    )
    raise SystemExit(int(missed > 0))


def read_faults() -> list[Fault]:
    """Return the faults in the list."""
    return [Fault(**one) for one in json.loads(FAULTS.read_text())]


def without_faults(faults: Sequence[Fault]) -> list[list[str]]:
    """Return commands that run each test once, with pytest's tests together where possible."""
    commands: dict[tuple[str, ...], list[str]] = {}
    # Keep tests of a file next to each other, so that shared fixtures are built once.
    for fault in sorted(faults, key=lambda one: one.test):
        *options, test = fault.command
        file = test.partition("::")[0]
        together = options[0] == "pytest" and file not in ALONE
        command = commands.setdefault((*options, "" if together else file), options)
        if test not in command:
            command.append(test)
    return list(commands.values())


def has_passed(program: str, code: int | None, output: str) -> bool | None:
    """Return whether all tests of a command pass; None if it neither passes nor just fails.

    Args:
        program: a key of SAYS.
        code: its exit code, or None if it did not end.
        output: the command's output.
    """
    passed, failed, broken = (re.search(one, output, re.MULTILINE) for one in SAYS[program])
    if code == 0 and passed:
        return True
    return False if code == 1 and failed and not broken else None


class Run:
    """A command run in a copy of the project.

    Args:
        command: its words; the first is a program in `.venv/bin`.
        fault: the fault to apply to the copy.

    Attributes:
        passes: whether all its tests pass.
        fails: whether a test fails and none is broken.
        output: the command's output.
        seconds: how long it took.
    """

    def __init__(self, command: Sequence[str], fault: Fault | None = None) -> None:
        program, *options = command
        with tempfile.TemporaryDirectory(prefix="mutation-") as place:
            copy = _copy(Path(place) / "project")
            if fault:
                _apply(fault, copy)
            begun = time.monotonic()
            code, self.output = _run([str(copy / ".venv" / "bin" / program), *options], copy)
            self.seconds = time.monotonic() - begun
        passed = has_passed(program, code, self.output)
        self.passes, self.fails = passed is True, passed is False

    @property
    def end(self) -> str:
        """The last lines of the output."""
        return "\n".join(self.output.splitlines()[-SHOWN_LINES:])


def _copy(copy: Path) -> Path:
    """Copy the files that git lists, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=settings.REPO, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (source := settings.REPO / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy / name, follow_symlinks=False)
    for name in LINKED:
        (copy / name).symlink_to((settings.REPO / name).resolve())
    return copy


def _apply(fault: Fault, copy: Path) -> None:
    file = copy / fault.file
    text = file.read_text()
    if (times := text.count(fault.old)) != 1:
        raise UserError(f"{fault.name}: its old text stands {times} times in {fault.file}")
    file.write_text(text.replace(fault.old, fault.new))


def _run(command: Sequence[str], copy: Path) -> tuple[int | None, str]:
    """Return a command's output, and its exit code, or None if it does not end."""
    environment = {**os.environ, "TMPDIR": str(copy.parent), "COLUMNS": "160"}
    environment.pop(settings.HOME_VARIABLE, None)
    with tempfile.TemporaryFile() as output:
        code = None
        try:
            code = subprocess.run(
                command,
                cwd=copy,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=TEST_SECONDS,
            ).returncode
        except subprocess.TimeoutExpired:
            output.write(f"\nno end within {TEST_SECONDS:.0f} s".encode())
        output.seek(0)
        return code, output.read().decode(errors="replace")


if __name__ == "__main__":
    app()
