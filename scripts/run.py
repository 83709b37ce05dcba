#!/usr/bin/env python3
"""Lands and builds in one process and one Spark session: what a scheduler calls."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import os
from pathlib import Path
from typing import Annotated

import typer

from changelake.core.cli import one_line_errors
from changelake.core.files import writable
from changelake.kafka.client import SERVERS_VARIABLE
from changelake.runs.options import Options
from changelake.runs.recorded_runs import Runs

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(
    help="Land what is new and build the tables with pending changes. Exit codes: 0 all is well,"
    " 1 and 2 wrong configuration or use, 3 a feed could not be landed (the others were landed"
    " and built), 4 a model could not be built (if it is the events of one format, the tables of"
    " the others were), 5 a test failed, 6 a source has changed a table and a person has to decide;"
    " 130 and 143 ended by Ctrl-C and SIGTERM."
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
        typer.Option(
            help="What to build, as with dbt's --select, with or without pending changes."
        ),
    ] = None,
    target: Annotated[str, typer.Option(help="local, sample or cluster.")] = "local",
    kafka_properties_file: Annotated[
        Path | None, typer.Option("--kafka-properties", help="Client settings of Kafka.")
    ] = None,
    retry_rejects: Annotated[
        bool, typer.Option(help="Parse the rejected messages again, for example after a fix.")
    ] = False,
    summary: Annotated[
        Path | None, typer.Option(help="Write what was done to this file, as JSON.")
    ] = None,
    every: Annotated[
        str | None,
        typer.Option(help="Keep running, and land and build at this interval, e.g. '30 seconds'."),
    ] = None,
    serve: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=65535,
            metavar="PORT",
            help="With --every: serve the lake to BI tools and sql.py at this port of 127.0.0.1.",
        ),
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
        every=every,
        serve=serve,
        properties_file=kafka_properties_file,
    )
    runs = Runs(options, writable(summary, "--summary") if summary else None)
    raise typer.Exit(runs.run())


if __name__ == "__main__":
    app()
