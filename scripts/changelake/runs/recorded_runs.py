"""The runs of a process: each is reported, and recorded with its costs."""

import json
import sys
import time
from pathlib import Path

from changelake.build.report import BuildReport, outcome
from changelake.core.error_text import error_text
from changelake.core.errors import EXIT_ERROR
from changelake.core.files import write_whole
from changelake.core.terminal import Terminal, say
from changelake.runs.costs import RunCosts
from changelake.runs.one_run import Shared, land_and_build
from changelake.runs.options import Options
from changelake.runs.repeating import run_again_and_again
from changelake.runs.summary import RunSummary
from changelake.spark.interrupts import Interrupts
from changelake.spark.serving import LakeServer


class Runs:
    """The runs of this process, each of which is reported and recorded.

    Args:
        options: what is asked for.
        summary: the file for the summary of the last run.
    """

    def __init__(self, options: Options, summary: Path | None) -> None:
        self._options, self._summary = options, summary
        self._costs, self._interrupts = RunCosts(options.target), Interrupts()
        server = None if options.serve is None else LakeServer(options.serve)
        self._shared = Shared(self._interrupts, server)

    def run(self) -> int:
        """Run once, or until a signal comes; return the exit code."""
        seconds, interrupts = self._options.seconds, self._interrupts
        try:
            interrupts.listen()
            if seconds is None:
                return self._once()
            return run_again_and_again(self._once, seconds, interrupts)
        except KeyboardInterrupt:
            # outside of a run; typer would report any signal as Ctrl-C
            return interrupts.exit_code
        finally:
            self._costs.close()
            interrupts.end()

    def _once(self) -> int:
        begun = time.monotonic()
        report, done = BuildReport(Terminal(), self._interrupts.stop), RunSummary()
        try:
            done.exit_code = land_and_build(self._options, done, self._shared, report)
        except BaseException as error:
            is_signal = isinstance(error, KeyboardInterrupt) or self._interrupts.stop.is_set()
            has_work = report.has_begun or any(one.messages for one in done.landed)
            if isinstance(error, KeyboardInterrupt):
                # while Spark starts, its own handler has raised this, and the runs are to end too
                self._interrupts.stop.set()
            if is_signal and self._options.is_resident and not has_work:
                # it has only looked for new messages: as if the signal had come between two runs
                return 0
            done.exit_code = self._interrupts.exit_code if is_signal else EXIT_ERROR
            done.error = "interrupted" if is_signal else error_text(error) or repr(error)
            done.built = report.nodes
            if not is_signal:
                raise
            say(f"interrupted: {outcome(report.nodes)}; what has landed stays")
            say(f"left to the next run: {report.left()}")
        finally:
            # first, since writing the summary may fail on a full disk
            self._costs.add(time.monotonic() - begun, done)
            self._write_summary(done)
        return done.exit_code

    def _write_summary(self, done: RunSummary) -> None:
        if not self._summary:
            return
        try:
            write_whole(self._summary, json.dumps(done.as_json(), indent=2, default=str) + "\n")
        except OSError as error:
            # the error of the run itself takes precedence
            if done.error is None:
                raise
            say(f"error: --summary cannot be written: {error.strerror}", sys.stderr)
