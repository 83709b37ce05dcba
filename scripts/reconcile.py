#!/usr/bin/env python3
"""Compares a current table with its source."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import os
from pathlib import Path
from typing import Annotated

import typer

from changelake.build.codegen import generated_code
from changelake.build.dbt import Parsing
from changelake.build.declared_tables import declared_tables
from changelake.build.states import has_large_table
from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.files import writable
from changelake.core.terminal import Terminal, in_line, say
from changelake.core.words import counted
from changelake.query.sql import check_lake
from changelake.reconcile.compare import Comparison, Result
from changelake.reconcile.databases import DRIVERS, scheme_of
from changelake.reconcile.model import Model, check_name, model_of
from changelake.reconcile.options import DEFAULT_WAIT_SECONDS, Options
from changelake.reconcile.progress import Progress
from changelake.reconcile.results import keep, print_differences, write_differences
from changelake.reconcile.sources import Source
from changelake.spark.derby import hold_catalog
from changelake.spark.session import PACKAGES_VARIABLE, spark_session

# neither is an error; 3 and 4 are run.py's alone
EXIT_DIFFERENT, EXIT_UNDECIDED = 5, 6

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(
    help="Compare a current table with its source: counts, checksums, then rows and cells. Exit"
    " codes: 0 they are equal, 1 an error, 2 a wrong option, 5 they differ, 6 undecided: the lake"
    " is behind, or the rows change too often."
)
@one_line_errors
def main(
    table: Annotated[str, typer.Option(help="The current table's model, e.g. shop__orders.")],
    jdbc: Annotated[
        str | None, typer.Option(help="The source's URL, jdbc:…; without a password.")
    ] = None,
    source_table: Annotated[
        str | None, typer.Option(help="The source's table; by default the model's.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="The database user; the password comes from CHANGELAKE_JDBC_PASSWORD."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="Compare with this file: .csv, .parquet or .jsonl.")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            help="The point in time of the file, such as 2026-03-01T08:00:00, in UTC if it names no"
            " zone: the file is compared with the table's history."
        ),
    ] = None,
    lag: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="The longest time in seconds from commit to landing that you guarantee; without it"
            " only later messages prove that nothing is missing.",
        ),
    ] = None,
    wait: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Seconds to wait for the lake if rows differ;"
            f" {DEFAULT_WAIT_SECONDS:.0f} by default.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many differences to print.")] = 20,
    output: Annotated[
        Path | None, typer.Option(help="Write all differences to this file: JSON lines, or .csv.")
    ] = None,
    target: Annotated[str, typer.Option(help="local, or sample.")] = "local",
) -> None:
    """Compare."""
    options = Options(
        target=target,
        jdbc=jdbc,
        source_table=source_table,
        user=user,
        file=file,
        lag=lag,
        at=at,
        wait=wait,
    )
    output = output and writable(output, "--output")
    check_name(table, target)
    if jdbc is not None:
        _ask_for_driver(jdbc)
    check_lake(target)
    # dbt's cache depends on it: setting it later would have the project parsed twice
    settings.export_home()
    parsing = Parsing(target)
    parsing.begin()
    spark = spark_session("changelake reconcile", target, hive=True)
    with hold_catalog(spark):
        tables = declared_tables(parsing.manifest())
        model = model_of(table, tables, spark, "history" if options.moment else "current")
        is_large = has_large_table(spark, {model.meta["state"]})
    with generated_code(spark, is_large):
        source = options.source(spark, model)
        _say_what_is_compared(model, source)
        progress = Progress(spark, model, lag)
        result = Comparison(
            spark, model, source, progress, options.wait_seconds, say, options.moment
        ).run()
        print_differences(result, limit, Terminal(), output)
        if output:
            write_differences(result.differences(), output)
        keep(spark, model, source, result)
    raise typer.Exit(_conclude(model, source, result))


def _ask_for_driver(url: str) -> None:
    # Spark fetches it on start, along with packages that a person asks for.
    named = [one for one in (os.environ.get(PACKAGES_VARIABLE), DRIVERS[scheme_of(url)]) if one]
    os.environ[PACKAGES_VARIABLE] = ",".join(named)


def _say_what_is_compared(model: Model, source: Source) -> None:
    say(in_line(f"{model.schema}.{model.name} against {source.name}"))
    for name, reason in source.choice.left_out.items():
        say(in_line(f"not compared: {name}: {reason}"))


def _conclude(model: Model, source: Source, result: Result) -> int:
    """Print the outcome, and return the exit code."""
    if result.differing:
        more = f", {result.undecided:,} are undecided" if result.undecided else ""
        say(f"different: {result.differing:,} rows differ{more}")
        return EXIT_DIFFERENT
    if result.undecided:
        say(
            f"undecided: {result.undecided:,} rows differ, but the lake may only be behind, or they"
            " keep changing: run scripts/run.py meanwhile, give a longer --wait, or promise a --lag"
        )
        return EXIT_UNDECIDED
    compared = counted(len(source.choice.columns), "column")
    say(f"equal in {compared}: {model.name} at {result.at:%Y-%m-%d %H:%M:%S} UTC")
    return 0


if __name__ == "__main__":
    app()
