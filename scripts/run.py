#!/usr/bin/env python3
"""Lands and builds in one process and one Spark session: what a scheduler calls."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from changelake.build.costs import RunCosts
from changelake.build.dbt import Parsing
from changelake.build.moving import follow_move
from changelake.build.report import BuildReport, BuildResult, outcome
from changelake.build.runner import build_pending, is_idle
from changelake.build.summary import RunSummary
from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.error_text import error_text
from changelake.core.errors import EXIT_ERROR, UserError, spark_has_ended
from changelake.core.feeds import Feed, choose_feeds, read_feeds
from changelake.core.files import writable, write_whole
from changelake.core.interrupts import Interrupts
from changelake.core.intervals import interval_seconds
from changelake.core.logs import log_file
from changelake.core.terminal import Terminal, say
from changelake.core.words import counted, listed
from changelake.kafka.client import SERVERS_VARIABLE, check_reachable, kafka_properties
from changelake.landing.job import LandingError, land
from changelake.landing.report import LandingReport
from changelake.spark.derby import hold_catalog, release_catalog
from changelake.spark.jvm import has_stopped
from changelake.spark.session import spark_session
from changelake.spark.thrift import ThriftSession, check_server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# 2 is the exit code of a wrong option
EXIT_LANDING, EXIT_BUILD, EXIT_TEST, EXIT_ASK = 3, 4, 5, 6
SHORTEST_SECONDS = 1
_MAX_OPEN, _MAX_FAILED = 5, 20


@dataclass(frozen=True)
class Options:
    """What a run is asked to do.

    Attributes:
        target: the profile's target.
        bootstrap_servers: the brokers; None: only build what has landed.
        feeds: which feeds to land; empty: all.
        select: what to build, with pending changes or without; empty: what has some.
        retry_rejects: parse the rejected messages again.
        seconds: from the start of a run to the start of the next one; None: run once.
        properties: client settings of Kafka.
    """

    target: str
    bootstrap_servers: str | None
    feeds: list[str]
    select: list[str]
    retry_rejects: bool
    seconds: float | None
    properties: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def is_resident(self) -> bool:
        """Say whether the process repeats runs, which print nothing if nothing is new."""
        return self.seconds is not None

    @property
    def is_on_cluster(self) -> bool:
        """Say whether a Thrift server has the catalog."""
        return self.target == settings.CLUSTER


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(
    help="Land what is new and build the tables with pending changes. Exit codes: 0 all is well,"
    " 1 and 2 wrong configuration or use, 3 a feed could not be landed (the others were, and are"
    " built), 4 a model could not be built (if it is the events of one format, the tables of the"
    " others are), 5 a test failed, 6 a source has changed a table and a person has to decide; 130"
    " and 143 ended by Ctrl-C and SIGTERM."
)
@one_line_errors
def main(
    bootstrap_servers: Annotated[
        str | None,
        typer.Option(
            help="HOST:PORT of the brokers. Without it, build what has landed.",
            envvar=SERVERS_VARIABLE,
        ),
    ] = None,
    feed: Annotated[
        list[str] | None,
        typer.Option(
            help="Land only this feed, and parse only its format, unless the project has changed."
        ),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(help="What to build, as dbt's --select, with pending changes or without."),
    ] = None,
    target: Annotated[str, typer.Option(help="local, sample or cluster.")] = "local",
    kafka_properties_file: Annotated[
        Path | None, typer.Option("--kafka-properties", help="Client settings of Kafka.")
    ] = None,
    retry_rejects: Annotated[
        bool, typer.Option(help="Parse the rejected messages once more, as after a fix.")
    ] = False,
    summary: Annotated[
        Path | None, typer.Option(help="Write what was done to this file, as JSON.")
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(help="Keep running, and land and build at this interval, e.g. '30 seconds'."),
    ] = None,
) -> None:
    """Check the options, and run once or repeatedly."""
    # typer ignores an empty variable, which is a mistake that has to be reported
    if bootstrap_servers is None:
        bootstrap_servers = os.environ.get(SERVERS_VARIABLE)
    options = Options(
        target=target,
        bootstrap_servers=bootstrap_servers,
        feeds=feed or [],
        select=select or [],
        retry_rejects=retry_rejects,
        seconds=None if every is None else interval_seconds(every, "--every"),
    )
    check_options(options, every, kafka_properties_file)
    # read now, since a build changes the directory
    options = replace(options, properties=kafka_properties(kafka_properties_file))
    runs = Runs(options, writable(summary, "--summary") if summary else None)
    raise typer.Exit(runs.run())


def check_options(options: Options, every: str | None, properties: Path | None) -> None:
    """Refuse options that do not go together.

    Args:
        options: what is asked for.
        every: the interval as it was given.
        properties: the file with Kafka's settings.

    Raises:
        UserError: some do not.
    """
    settings.check_target(options.target)
    if options.seconds is not None:
        if options.seconds < SHORTEST_SECONDS:
            raise UserError(f"--every {every}: give one second or more")
        if options.feeds or options.select or options.retry_rejects or options.target == "sample":
            raise UserError(
                "--every keeps the whole lake up to date: it goes with neither --feed, --select,"
                " --retry-rejects nor target sample"
            )
    if options.bootstrap_servers is not None:
        return
    if properties:
        raise UserError(
            "--kafka-properties goes with --bootstrap-servers: without it nothing is landed"
        )
    if options.feeds and options.select:
        raise UserError(
            "--feed lands one feed, which --select without brokers does not: leave it out"
        )


class Runs:
    """The runs of this process, each of which is reported and recorded.

    Args:
        options: what is asked for.
        summary: the file for the summary of the last run.
    """

    def __init__(self, options: Options, summary: Path | None) -> None:
        self._options, self._summary = options, summary
        self._costs, self._interrupts = RunCosts(options.target), Interrupts()

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
            done.exit_code = land_and_build(self._options, done, self._interrupts, report)
        except BaseException as error:
            is_signal = isinstance(error, KeyboardInterrupt) or self._interrupts.stop.is_set()
            has_work = report.has_begun or any(one.messages for one in done.landed)
            if is_signal and self._options.is_resident and not has_work:
                # it has only looked for new messages: as if the signal had come between two runs
                return 0
            done.exit_code = self._interrupts.exit_code if is_signal else EXIT_ERROR
            done.error = error_text(error) or repr(error)
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


def run_again_and_again(run: Callable[[], int], seconds: float, interrupts: Interrupts) -> int:
    """Run until a signal comes. Errors that keep runs from starting are reported once, and retried.

    Args:
        run: a run; returns its exit code.
        seconds: from the start of a run to the start of the next one, if it is over by then.
        interrupts: the signal handlers.

    Returns:
        0 where nothing was under way, else the exit code of the interrupted run.

    Raises:
        Exception: the first run could not start, so that a wrong configuration shows at once; or
            Spark has stopped, which no run of this process restarts; or the error is a bug.
    """
    is_first, said = True, ""
    while True:
        begun = time.monotonic()
        code, error_said = 0, ""
        try:
            code = run()
        except Exception as error:
            text = error_text(error)
            # a bug, or a reader that has gone away, will not be better the next time
            is_lasting = text is None or isinstance(error, BrokenPipeError)
            if is_first or is_lasting or spark_has_ended(error) or has_stopped():
                raise
            error_said = str(text)
            if error_said != said:
                say(f"error: {error_said}: retrying every {seconds:g} s", sys.stderr)
        if interrupts.stop.is_set():
            return code
        if code and has_stopped():
            raise UserError(f"Spark has stopped, and this command with it: see {log_file()}")
        if said and not error_said:
            say("recovered")
        is_first, said = False, error_said
        pause = min(max(0.0, begun + seconds - time.monotonic()), threading.TIMEOUT_MAX)
        try:
            with interrupts.graceful():
                interrupts.stop.wait(pause)
        except KeyboardInterrupt:
            return 0


def land_and_build(
    options: Options, done: RunSummary, interrupts: Interrupts, report: BuildReport
) -> int:
    """Land and build, report it, record it in `done`, and return the exit code.

    Args:
        options: what is asked for.
        done: the summary to fill in.
        interrupts: the signal handlers.
        report: gets the outcome of each model.

    Raises:
        KeyboardInterrupt: a signal came.
    """
    started = time.monotonic()
    feeds = read_feeds(target=options.target)
    chosen = choose_feeds(feeds, options.feeds)
    spark = _session(options, interrupts)
    done.seconds["start"] = round(time.monotonic() - started, 1)
    # dbt parses the project while Java lands, if there is anything to land
    parsing = Parsing(options.target)
    not_landed: LandingError | None = None
    try:
        begun = time.monotonic()
        if options.bootstrap_servers is not None:
            not_landed = _land(options, spark, feeds, chosen, done, interrupts, parsing)
            done.seconds["landing"] = round(time.monotonic() - begun, 1)
        begun = time.monotonic()
        built = _build(options, spark, feeds, chosen, report, parsing)
        interrupts.check()
    except UserError as error:
        raise UserError(f"{not_landed}\n{error}" if not_landed else str(error)) from None
    finally:
        # if nothing was built it may still run, and dbt parses one project at a time
        parsing.wait()
    done.built, done.rejected, done.asked = built.nodes, built.rejected, built.asked
    done.seconds["building"] = round(time.monotonic() - begun, 1)
    done.seconds["all"] = round(time.monotonic() - started, 1)
    _say_result(not_landed, built, done.seconds["building"])
    if not_landed:
        return EXIT_LANDING
    if built.failed:
        return EXIT_BUILD
    if built.failed_tests:
        return EXIT_TEST
    return EXIT_ASK if built.asked else 0


def _session(options: Options, interrupts: Interrupts) -> "SparkSession":
    # Whatever can be checked without Spark is checked before it starts.
    if options.bootstrap_servers and options.target == "sample":
        raise UserError(
            "target sample builds what the seeds hold, and lands nothing: leave"
            f" --bootstrap-servers out, and unset {SERVERS_VARIABLE}, or take --target local"
        )
    # also refuses an empty value, as from an unset shell variable
    if options.bootstrap_servers is not None:
        check_reachable(options.bootstrap_servers)
    if options.is_on_cluster:
        check_server()
    else:
        follow_move(options.target)
    spark = spark_session("changelake run", options.target, hive=not options.is_on_cluster)
    interrupts.listen()
    # queries can use the catalog until there is something to build
    release_catalog(spark)
    return spark


def _land(
    options: Options, spark: "SparkSession", feeds: list[Feed], chosen: list[Feed],
    done: RunSummary, interrupts: Interrupts, parsing: Parsing,
) -> LandingError | None:  # fmt: skip
    # Land the chosen feeds; return the error of those that could not be.
    not_landed: LandingError | None = None
    with interrupts.graceful(), LandingReport() as landing:
        try:
            results = land(
                spark,
                chosen,
                options.bootstrap_servers or "",
                all_feeds=feeds,
                properties=options.properties,
                stop=interrupts.stop,
                report=landing.update,
                on_new_messages=parsing.begin,
            )
        except LandingError as error:
            not_landed, results = error, error.results
        if not options.is_resident or any(one.messages or one.error for one in results):
            landing.summary(results, interrupts.stop.is_set())
        done.landed = results
    if not_landed:
        # at once, since the build takes a while
        _say_errors(not_landed)
    return not_landed


def _build(
    options: Options, spark: "SparkSession", feeds: list[Feed], chosen: list[Feed],
    report: BuildReport, parsing: Parsing,
) -> BuildResult:  # fmt: skip
    # Build what is pending, or what is asked for.
    if options.is_resident and is_idle(spark, options.target, feeds):
        return BuildResult()
    report.begin()
    with hold_catalog(spark):
        return build_pending(
            spark, options.target, chosen, Terminal(), options.select, options.retry_rejects,
            report, parsing.manifest, ThriftSession() if options.is_on_cluster else None,
        )  # fmt: skip


def _say_errors(not_landed: LandingError) -> None:
    console = Terminal(soft_wrap=True)
    for line in str(not_landed).split("\n"):
        console.print(f"[red]error[/]: {escape(line)}", markup=True)


def _say_result(not_landed: LandingError | None, built: BuildResult, seconds: float) -> None:
    # Repeat which nodes failed at the end of a long log; the reasons are further up.
    console = Terminal(soft_wrap=True)
    failed = [one for one in built.failed + built.failed_tests if one.status != "skipped"]
    if failed:
        named = listed([f"{one.kind} {one.name}" for one in failed], _MAX_FAILED)
        text = escape(f"{named}: the reasons are above")
        console.print(f"[red]failed[/] {text}", markup=True)
    if not_landed and built.nodes:
        _say_errors(not_landed)
    for one in built.rejected:
        console.print(f"rejected {counted(one.messages, 'message')} of {one.feed}: {one.reason}")
    if built.rejected:
        console.print("the reasons and the messages are in silver.rejected_messages")
    for line in built.asked:
        console.print(f"[yellow]decide[/] {escape(line)}", markup=True)
    _say_open(built.open, console)
    failed_feeds = [one.feed for one in not_landed.results if one.error] if not_landed else []
    if built.nodes or failed_feeds:
        text = f"{outcome(built.nodes)} in {seconds} s"
        if failed_feeds:
            text = f"not landed in full: {', '.join(failed_feeds)}; {text}"
        style = "red" if failed_feeds or built.failed or built.failed_tests else ""
        console.print(text, style=style)


def _say_open(lines: list[str], console: Terminal) -> None:
    # Decisions of earlier runs, which do not make a scheduled run fail again.
    if lines:
        is_open = "is" if len(lines) == 1 else "are"
        console.print(f"{counted(len(lines), 'decision')} {is_open} open since an earlier run:")
    for line in lines[:_MAX_OPEN]:
        console.print(f"  {line}")
    if len(lines) > _MAX_OPEN:
        console.print(f"  and {len(lines) - _MAX_OPEN} more")


if __name__ == "__main__":
    app()
