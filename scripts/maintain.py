#!/usr/bin/env python3
"""Maintains a lake: small files, replaced files, tombstones, old days of bronze."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

from typing import Annotated

import typer

from changelake.build.upkeep import maintain
from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.query.sql import check_lake
from changelake.spark.session import spark_session

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    days: Annotated[
        int,
        typer.Option(min=7, help="For how many days replaced files of silver and state are kept."),
    ] = 7,
    bronze_hours: Annotated[
        int, typer.Option(min=1, help="For how many hours replaced files of bronze are kept.")
    ] = 24,
    drop_bronze_days: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Drop days of bronze that are older than this, if all of their messages are"
            " parsed and none is rejected. Events and tables stay, but the events can no longer be"
            " rebuilt.",
        ),
    ] = None,
) -> None:
    """Compact bronze, remove files that no table needs, and remove old tombstones."""
    settings.check_target("local", embedded=True)
    bronze = settings.local_path(settings.location("bronze"))
    # a lake that was only landed into has no catalog yet, but needs upkeep too
    if bronze is not None and not bronze.exists():
        check_lake("local")
    spark = spark_session("changelake maintain", "local", hive=True)
    maintain(spark, days, bronze_hours, drop_bronze_days)


if __name__ == "__main__":
    app()
