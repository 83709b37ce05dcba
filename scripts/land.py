#!/usr/bin/env python3
"""Lands Kafka topics in the lake's bronze tables."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

from pathlib import Path
from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.feeds import choose_feeds, read_feeds
from changelake.core.intervals import interval_seconds
from changelake.core.terminal import say
from changelake.kafka.client import SERVERS_VARIABLE, check_reachable, kafka_properties
from changelake.landing.job import MAX_OFFSETS_PER_TRIGGER, LandingError, land
from changelake.landing.report import LandingReport
from changelake.spark.interrupts import Interrupts
from changelake.spark.session import spark_session

DEFAULT_TRIGGER = "10 seconds"
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    bootstrap_servers: Annotated[
        str,
        typer.Option(
            help="HOST:PORT of the brokers, separated by commas.",
            envvar=SERVERS_VARIABLE,
        ),
    ],
    feed: Annotated[list[str] | None, typer.Option(help="Only this feed. Can be repeated.")] = None,
    continuous: Annotated[bool, typer.Option(help="Keep landing until stopped.")] = False,
    trigger: Annotated[
        str | None,
        typer.Option(
            help="With --continuous: how often a batch begins.", show_default=DEFAULT_TRIGGER
        ),
    ] = None,
    kafka_properties_file: Annotated[
        Path | None,
        typer.Option("--kafka-properties", help="Client settings, a Java properties file."),
    ] = None,
    max_offsets_per_trigger: Annotated[
        int, typer.Option(min=1, help="Maximum messages per feed and batch.")
    ] = MAX_OFFSETS_PER_TRIGGER,
    accept_loss: Annotated[
        bool,
        typer.Option(
            help="Continue after offsets that expired before they were landed, and without topics"
            " that were deleted or that the feed no longer has."
        ),
    ] = False,
    feeds_file: Annotated[
        Path | None, typer.Option(help="Another list of feeds than seeds/feeds.csv.")
    ] = None,
    target: Annotated[
        str, typer.Option(help="The profile's target whose Spark settings to use.")
    ] = "local",
) -> None:
    """Land everything in the feeds' topics that is not in bronze yet."""
    settings.check_target(target)
    # the target decides Spark's settings only: the lake's feeds are landed, never the samples'
    feeds = read_feeds(feeds_file)
    chosen = choose_feeds(feeds, feed or [])
    properties = kafka_properties(kafka_properties_file)
    if trigger and not continuous:
        raise UserError("--trigger goes with --continuous: without it, one landing is all")
    trigger = trigger or DEFAULT_TRIGGER
    seconds = interval_seconds(trigger, "--trigger")
    # Before Spark starts, to report a broker that is down at once.
    check_reachable(bootstrap_servers)
    spark = spark_session("changelake land", target, hive=False)
    interrupts = Interrupts()
    # After the session: Spark installs its own handler, which ends with a traceback.
    interrupts.listen()
    try:
        with interrupts.graceful(), LandingReport() as report:
            try:
                results = land(
                    spark,
                    chosen,
                    bootstrap_servers,
                    all_feeds=feeds,
                    properties=properties,
                    trigger=f"{seconds * 1000:.0f} milliseconds" if continuous else None,
                    max_offsets_per_trigger=max_offsets_per_trigger,
                    accept_loss=accept_loss,
                    stop=interrupts.stop,
                    report=report.update,
                )
            except LandingError as error:
                report.summary(error.results)
                raise
            report.summary(results, interrupts.stop.is_set())
    except KeyboardInterrupt:
        # the usual way to end a continuous landing
        if continuous:
            return
        say("interrupted: what has landed stays, the next run lands the rest")
        raise typer.Exit(interrupts.exit_code) from None
    finally:
        interrupts.end()


if __name__ == "__main__":
    app()
