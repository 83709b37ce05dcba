#!/usr/bin/env python3
"""Writes a health report of the lake as one page of HTML, or as metrics for Prometheus."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

from pathlib import Path
from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.files import writable, write_whole
from changelake.core.intervals import interval_seconds
from changelake.core.terminal import say
from changelake.health.figures import take_figures
from changelake.health.metrics import write_metrics
from changelake.health.page import page
from changelake.query.sql import EmbeddedQueries

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    output: Annotated[
        Path | None,
        typer.Option(help="Write the page to this file; without --prometheus to report.html."),
    ] = None,
    prometheus: Annotated[
        Path | None,
        typer.Option(help="Write metrics in Prometheus's text format to this file."),
    ] = None,
    late: Annotated[
        str,
        typer.Option(
            help="A message that takes longer from its commit until a run parses it is late."
        ),
    ] = "1 hour",
    target: Annotated[str, typer.Option(help="local, or sample.")] = "local",
) -> None:
    """Write a page of what needs attention, freshness, counts, rejects, sizes and runs."""
    settings.check_target(target, embedded=True)
    late_seconds = interval_seconds(late, "--late")
    if output is None and prometheus is None:
        output = Path("report.html")
    output = output and writable(output, "--output")
    prometheus = prometheus and writable(prometheus, "--prometheus")
    figures = take_figures(EmbeddedQueries(target).spark, target)
    if prometheus:
        write_metrics(figures, prometheus)
        say(f"written: {prometheus}")
    if output:
        write_whole(output, page(figures, late_seconds))
        say(f"written: {output}")


if __name__ == "__main__":
    app()
