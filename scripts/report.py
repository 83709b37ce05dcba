#!/usr/bin/env python3
"""Writes how the lake is as one page of HTML, or as metrics for Prometheus."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

from pathlib import Path
from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError, os_reason
from changelake.core.files import check_writable, write_whole
from changelake.core.intervals import interval_seconds
from changelake.core.terminal import say
from changelake.health.figures import take_figures
from changelake.health.metrics import write_metrics
from changelake.health.page import page
from changelake.query.sql import EmbeddedLake

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    output: Annotated[Path, typer.Option(help="Write the page to this file.")] = Path(
        "report.html"
    ),
    prometheus: Annotated[
        Path | None,
        typer.Option(help="Write metrics in Prometheus's text format to this file, and no page."),
    ] = None,
    late: Annotated[
        str, typer.Option(help="A message that takes longer from commit to tables is late.")
    ] = "1 hour",
    target: Annotated[str, typer.Option(help="local, or sample.")] = "local",
) -> None:
    """Write a page of what needs attention, freshness, counts, rejects, sizes and runs."""
    settings.check_target(target, embedded=True)
    late_seconds = interval_seconds(late, "--late")
    option, file = ("--prometheus", prometheus) if prometheus else ("--output", output)
    # Spark may change the directory
    file = file.expanduser().absolute()
    try:
        check_writable(file)
    except OSError as error:
        raise UserError(f"{option} {file} cannot be written: {os_reason(error)}") from None
    figures = take_figures(EmbeddedLake(target).spark, target)
    if prometheus:
        write_metrics(figures, file)
    else:
        write_whole(file, page(figures, late_seconds))
    say(f"written: {file}")


if __name__ == "__main__":
    app()
