"""Names and values on a terminal: their control characters are shown and have no effect."""

import contextlib
import io
import json
import logging
import os
import pty
import subprocess
import sys
import threading
from typing import Any

import pytest

from changelake.build.report import BuildReport, NodeResult
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.terminal import Terminal, say
from changelake.landing.leases import Lease
from changelake.landing.plans import FeedResult
from changelake.landing.report import LandingReport
from changelake.onboarding.ddl import TableDdl
from changelake.query import rows
from changelake.query.printing import print_result
from processes import SCRIPTS

NASTY = "\x1b]0;owned\x07 \x1b[31m \x9b2J \r \x00 \u202egnp.exe \u2028 [red]b[/] :warning: 名"
NASTY += " a\u00ad\u200b\u200c\u200d\u2060\ufeffb \U000e0001\U000e0041\U000e007f"
SEEN = r"\x1b]0;owned\x07 \x1b[31m \x9b2J \x0d \x00 \u202egnp.exe \u2028 [red]b[/] :warning: 名"
SEEN += r" a\xad\u200b\u200c\u200d\u2060\ufeffb \U000e0001\U000e0041\U000e007f"
ROW = f"{{{rows.dump(NASTY)}:{rows.dump(NASTY)}}}"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_table_shows_what_its_cells_hold(is_terminal: bool) -> None:
    out = io.StringIO()
    console = Terminal(file=out, force_terminal=is_terminal, width=200, color_system=None)
    print_result(([NASTY], iter([ROW])), "table", console)
    shown = [line.strip() for line in out.getvalue().splitlines()]
    assert (shown[0], shown[2]) == (SEEN, SEEN)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_table_too_wide_for_a_terminal_is_shown_as_records(is_terminal: bool) -> None:
    names = ["id", *(f"column_{number}" for number in range(9))]
    row = "{" + ",".join(f"{rows.dump(name)}:{rows.dump(name + 'é')}" for name in names) + "}"
    row = row.replace(rows.dump("column_8é"), "null")
    out = io.StringIO()
    console = Terminal(file=out, force_terminal=is_terminal, width=80, color_system=None)
    print_result((names, iter([row, row])), "table", console)
    lines = [line.split() for line in out.getvalue().splitlines()]
    cells = [f"{name}é" for name in names[:-1]] + ["null"]
    record = [[name, cell] for name, cell in zip(names, cells, strict=True)]
    if is_terminal:
        assert lines == [["row", "1"], *record, [], ["row", "2"], *record, [], ["2", "rows"]]
    else:
        assert [lines[0], *lines[2:]] == [names, cells, cells, ["2", "rows"]]


@pytest.mark.parametrize(
    ("style", "due"), [("csv", f"{rows.csv_line([NASTY])}\n" * 2), ("json", f"{ROW}\n")]
)
def test_csv_and_json_stay_exact(capsys: pytest.CaptureFixture[str], style: str, due: str) -> None:
    print_result(([NASTY], iter([ROW])), style)
    assert capsys.readouterr().out == due


def _read(terminal: int) -> str:
    said = b""
    # At the end, Linux raises an error because the other side is closed.
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4096):
            said += part
    os.close(terminal)
    return said.decode()


def test_errors_and_reports_on_a_real_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    @one_line_errors
    def command() -> None:
        with LandingReport() as report:
            report.summary([FeedResult("[b]feed[/]", "canal", messages=1, remark=NASTY)])
        say(f"skipped {NASTY}")
        raise UserError(NASTY)

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        for stream in ("stdout", "stderr"):
            monkeypatch.setattr(f"sys.{stream}", terminal)
        with pytest.raises(SystemExit):
            command()
        monkeypatch.undo()
    said = _read(ours)
    assert said.replace("\r\n", "").count(SEEN) == 3
    assert "[b]feed[/]" in said
    assert not any(mark in said for mark in ("\x1b]0", "\x9b", "\u202e", "\u2028"))


def test_the_traceback_of_a_mistake_is_shown_and_not_obeyed() -> None:
    program = (
        "import sys\n"
        "from changelake.core.cli import one_line_errors\n"
        "def command(): raise RuntimeError(sys.argv[1])\n"
        "one_line_errors(command)()\n"
    )
    given = NASTY.replace("\0", "")
    done = subprocess.run(
        [sys.executable, "-c", program, given],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    first, *_, last = done.stderr.rstrip("\n").split("\n")
    assert first == "Traceback (most recent call last):"
    assert last == f"RuntimeError: {SEEN.replace(chr(92) + 'x00', '')}"


def test_who_holds_a_lease_is_shown_and_not_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    class Store:
        def __init__(self, *found: str | None) -> None:
            self.found = list(found)

        def read_text(self, *steps: str) -> str | None:
            return self.found.pop(0)

    held = json.dumps({"process": 1, "host": f"{NASTY}\nerror: x", "at": "today"})
    for store in (Store(held, None), Store(held, "{}")):
        files: Any = store
        lease = Lease(files, beat_seconds=0.1)
        with contextlib.suppress(UserError):
            lease._watch(files.read_text())
        said = capsys.readouterr().err
        assert (said.count("\n"), f"process 1 on {SEEN}\\x0aerror: x, last seen" in said) == (
            1,
            True,
        )
    assert f"{SEEN}\\x0aerror: x" in str(Lease._refusal(held))


@pytest.mark.parametrize("ddl", [f"alter table t frobnicate {NASTY}", "(" * 50_000])
def test_a_statement_that_cannot_be_read_renames_nothing_and_is_not_shown(
    ddl: str, capfd: pytest.CaptureFixture[str]
) -> None:
    logging.lastResort, kept = logging.StreamHandler(sys.stderr), logging.lastResort
    try:
        assert TableDdl([ddl], "mysql").renamed == {}
    finally:
        logging.lastResort = kept
    assert capfd.readouterr() == ("", "")


def test_a_signal_ends_the_wait_for_a_lease() -> None:
    written: list[str] = []

    class Store:
        def read_text(self, *_: str) -> str:
            return held

        def put_text(self, text: str, *_: str) -> None:
            written.append(text)

    held = json.dumps({"process": 1, "host": "h", "at": "today"})
    files: Any = Store()
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with Lease(files, stop=stop):
        assert stop.is_set()
    # The lease is the other process's.
    assert written == []


def test_a_reader_that_is_gone_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        console = Terminal(file=pipe)
        with pytest.raises(BrokenPipeError):
            console.print("a line")
        # Nobody reads later output, and it raises no error of its own.
        console.print("another")


def test_a_build_goes_on_when_the_reader_of_its_lines_goes_away() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        report = BuildReport(Terminal(file=pipe))
        for name in ("a", "b"):
            report.finished(NodeResult(name, "model", "success", "", 0))
    assert [node.name for node in report.nodes] == ["a", "b"]
