#!/usr/bin/env python3
"""Runs SQL on the lake and prints what it gives."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import functools
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.files import read_input
from changelake.query.printing import print_result
from changelake.query.sql import EmbeddedQueries, ServerQueries
from changelake.query.statements import split_statements
from changelake.spark.serving import served_lake

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class Format(str, Enum):
    """How rows are printed."""

    table = "table"
    csv = "csv"
    json = "json"


@app.command()
@functools.partial(one_line_errors, gone_reader=0)
def main(
    sql: Annotated[
        str | None,
        typer.Argument(help="Statements, separated by `;`. By default those of standard input."),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Read the statements from this file.")] = None,
    style: Annotated[
        Format, typer.Option("--format", help="json: an object per line, with exact values.")
    ] = Format.table,
    target: Annotated[str, typer.Option(help="local, sample or cluster.")] = "local",
    tables: Annotated[
        bool,
        typer.Option("--tables", help="List tables and views, with rows and the newest commit."),
    ] = False,
) -> None:
    """Run statements on the lake and print their rows."""
    settings.check_target(target)
    if tables:
        if sql is not None or file is not None:
            raise UserError("give either statements or --tables, not both")
        print_result(_queries(target).tables(), style.value)
        return
    statements = split_statements(_text(sql, file))
    if not statements:
        raise UserError("there is no statement to run")
    queries = _queries(target)
    for statement in statements:
        print_result(queries.run(statement), style.value)


def _queries(target: str) -> ServerQueries | EmbeddedQueries:
    if target == settings.CLUSTER:
        return ServerQueries()
    if target == "local" and (served := served_lake()):
        return ServerQueries(served)
    try:
        return EmbeddedQueries(target)
    except UserError:
        # a server that started while this waited for the catalog
        if target == "local" and (served := served_lake()):
            return ServerQueries(served)
        raise


def _text(sql: str | None, file: Path | None) -> str:
    if sql is not None and file is not None:
        raise UserError("give either statements or --file, not both")
    if sql is not None and sql != "-":
        return sql
    if file is None:
        # stdin is None if the caller has closed it
        if not sys.stdin or sys.stdin.isatty():
            raise UserError(
                'give statements: scripts/sql.py "select …", --file FILE, or pipe them in'
            )
        try:
            return sys.stdin.buffer.read().decode()
        except UnicodeDecodeError:
            raise UserError("standard input cannot be read: it is not UTF-8") from None
    return read_input(file, "--file")


if __name__ == "__main__":
    app()
