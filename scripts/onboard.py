#!/usr/bin/env python3
"""Writes the current and history models of tables that were seen in the events."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

from pathlib import Path
from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.onboarding.options import Options
from changelake.onboarding.write_models import write_models
from changelake.query.sql import check_lake
from changelake.spark.serving import served_lake
from changelake.spark.session import spark_session
from changelake.spark.sql_session import SqlSession
from changelake.spark.thrift import ThriftSession

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    all_tables: Annotated[
        bool, typer.Option("--all", help="All tables seen in the events.")
    ] = False,
    table: Annotated[
        list[str] | None, typer.Option(help="DATABASE[.SCHEMA].TABLE. Can be repeated.")
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="TABLE=COLUMN,… where the dialect does not name the key. Can be repeated."
        ),
    ] = None,
    shards: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=PATTERN: tables whose whole DATABASE[.SCHEMA].TABLE matches, as one table."
            " Can be repeated."
        ),
    ] = None,
    feed: Annotated[str | None, typer.Option(help="The feed to take the tables from.")] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            help="The source's own `create table` statements, or a CSV of its catalog, for the"
            " tables' own types, keys and comments."
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option(help="Add new columns to existing models, including edited ones."),
    ] = False,
    history: Annotated[
        bool, typer.Option(help="Also write models of the tables' histories.")
    ] = True,
    target: Annotated[str, typer.Option(help="local, sample or cluster.")] = "local",
) -> None:
    """Write models/current/<relation>.sql and .yml and models/history/<relation>__history.sql.

    Files that a person has changed are left as they are.
    """
    options = Options(
        target=target,
        all_tables=all_tables,
        tables=table or [],
        shards=shards or [],
        feed=feed,
        schema=schema,
        update=update,
        history=history,
        key=key or [],
    )
    write_models(_session(target), options)


def _session(target: str) -> SqlSession:
    if target == settings.CLUSTER:
        return ThriftSession()
    if target == "local" and (served := served_lake()):
        return ThriftSession(served)
    check_lake(target)
    return spark_session("changelake onboard", target, hive=True)


if __name__ == "__main__":
    app()
