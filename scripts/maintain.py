#!/usr/bin/env python3
"""Does a lake's upkeep: small files, replaced files, tombstones, old days of bronze."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

from typing import Annotated

import typer

from changelake.build.upkeep import maintain
from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.spark.derby import hold_catalog
from changelake.spark.session import spark_session

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    days: Annotated[
        int,
        typer.Option(min=7, help="Keep files of silver and state that were replaced since."),
    ] = 7,
    bronze_hours: Annotated[
        int, typer.Option(min=1, help="Keep files of bronze that were replaced since.")
    ] = 24,
    drop_bronze_days: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Drop days of bronze that are older than so many and parsed without rejects."
            " Their events and tables stay; the events cannot be built anew any more.",
        ),
    ] = None,
) -> None:
    """Put bronze's small files together, remove what no table needs any more, end tombstones."""
    settings.check_target("local", embedded=True)
    spark = spark_session("changelake maintain", "local", hive=True)
    with hold_catalog(spark):
        maintain(spark, days, bronze_hours, drop_bronze_days)


if __name__ == "__main__":
    app()
