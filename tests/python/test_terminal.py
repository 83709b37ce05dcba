"""Names and values on a terminal: seen, and not obeyed."""

import contextlib
import io
import os
import pty

import pytest

import onboard
from changelake import rows
from changelake.build_report import BuildReport, NodeResult
from changelake.errors import UserError, one_line_errors
from changelake.landing import FeedResult
from changelake.landing_report import LandingReport
from changelake.sql import print_result
from changelake.terminal import Terminal

NASTY = "\x1b]0;owned\x07 \x1b[31m \x9b2J \r \x00 \u202egnp.exe \u2028 [red]b[/] :warning: 名"
SEEN = r"\x1b]0;owned\x07 \x1b[31m \x9b2J \x0d \x00 \u202egnp.exe \u2028 [red]b[/] :warning: 名"
ROW = f"{{{rows.dump(NASTY)}:{rows.dump(NASTY)}}}"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_table_shows_what_its_cells_hold(is_terminal: bool) -> None:
    out = io.StringIO()
    console = Terminal(file=out, force_terminal=is_terminal, width=200, color_system=None)
    print_result(([NASTY], iter([ROW])), "table", console)
    shown = [line.strip() for line in out.getvalue().splitlines()]
    assert (shown[0], shown[2]) == (SEEN, SEEN)


@pytest.mark.parametrize(
    ("style", "due"), [("csv", f"{rows.csv_line([NASTY])}\n" * 2), ("json", f"{ROW}\n")]
)
def test_csv_and_json_stay_exact(capsys: pytest.CaptureFixture[str], style: str, due: str) -> None:
    print_result(([NASTY], iter([ROW])), style)
    assert capsys.readouterr().out == due


def _read(terminal: int) -> str:
    said = b""
    # at the end Linux says that the other side is closed
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
        onboard.say(f"skipped {NASTY}")
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


def test_a_reader_that_is_gone_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        console = Terminal(file=pipe)
        with pytest.raises(BrokenPipeError):
            console.print("a line")
        # what comes later is for nobody, and no error of its own
        console.print("another")


def test_a_build_goes_on_when_the_reader_of_its_lines_goes_away() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        report = BuildReport(Terminal(file=pipe))
        for name in ("a", "b"):
            report.finished(NodeResult(name, "model", "success", "", 0))
    assert [node.name for node in report.nodes] == ["a", "b"]
