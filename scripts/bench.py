#!/usr/bin/env python3
"""Measures how fast landing, the parsers and the tables are: what `make bench` calls."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import json
import os
import platform
import statistics
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.files import write_whole
from changelake.dev.benchmarks import FRESHNESS, LARGE_KEYS, PARTS, Results, bench

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    messages: Annotated[int, typer.Option(min=1000, help="How many are generated.")] = 400_000,
    only: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(PARTS)}, or {FRESHNESS}, which is left out by default;"
            " can be repeated."
        ),
    ] = None,
    rows: Annotated[
        list[int] | None,
        typer.Option(help=f"Rows of the incremental runs' larger tables: of {LARGE_KEYS}."),
    ] = None,
    minutes: Annotated[float, typer.Option(min=1, help="For how long freshness is measured.")] = 60,
    parser: Annotated[str, typer.Option(help="Only the parsers with this in their name.")] = "",
    json_file: Annotated[
        Path | None, typer.Option("--json", help="The file to write; by default bench.json.")
    ] = None,
) -> None:
    """Measure on generated messages of about 1.2 KB and 14 columns, and print a table.

    The lake, the broker and the copy of the project are temporary.
    """
    parts = only or list(PARTS)
    if unknown := sorted(set(parts) - {*PARTS, FRESHNESS}):
        known = ", ".join([*PARTS, FRESHNESS])
        raise UserError(f"there is no part {unknown[0]!r}: use one of {known}")
    if unknown := sorted(set(rows or []) - set(LARGE_KEYS)):
        raise UserError(f"there is no table of {unknown[0]} rows: use some of {LARGE_KEYS}")
    file = (json_file or settings.REPO / "bench.json").absolute()
    console = Console(highlight=False)
    with (
        tempfile.TemporaryDirectory(prefix="changelake-bench-") as directory,
        bench(Path(directory), lambda text: console.print(f"[dim]{text}[/]")) as run,
    ):
        run.prepare()
        if "landing" in parts:
            run.landing(messages)
        if "parsers" in parts:
            run.parsers(messages, parser)
        if {"tables", "incremental"} & set(parts):
            if "landing" not in parts:
                run.fill(messages)
            run.tables()
        if "incremental" in parts:
            run.incremental(rows or LARGE_KEYS)
        if "many" in parts:
            run.many()
        if FRESHNESS in parts:
            run.freshness(minutes)
        results = run.results
    show(console, results)
    write_whole(file, json.dumps(as_json(results), indent=2) + "\n")
    console.print(f"written to {file}")


def show(console: Console, results: Results) -> None:
    """Print what was measured."""
    table = Table("measured")
    for name in ("messages", "bytes each", "seconds", "messages/s", "MB/s"):
        table.add_column(name, justify="right")
    for one in results.throughput:
        table.add_row(
            one.what, f"{one.messages:,}", f"{one.bytes / one.messages:,.0f}",
            f"{one.seconds:.2f}", f"{one.messages_a_second:,.0f}", f"{one.megabytes_a_second:,.0f}",
        )  # fmt: skip
    if results.throughput:
        console.print(table)
    for run in results.incremental:
        console.print(
            f"{run.new_messages:,} {run.images} images onto {run.rows:,} rows:"
            f" {run.median:.1f} s (of {', '.join(f'{one:.1f}' for one in run.seconds)})"
        )
    for images, growth in results.growth.items():
        console.print(f"that is {growth:.2f} times as long on the largest table, {images} images")
    if many := results.many:
        changed, alone, nothing = map(statistics.median, (many.changed, many.alone, many.nothing))
        console.print(
            f"{many.tables} tables: first {many.first:.0f} s; with changes of"
            f" {many.changed_tables} {changed:.1f} s, these alone {alone:.1f} s:"
            f" {changed / alone:.2f} times; with nothing new {nothing:.1f} s"
        )
    if fresh := results.freshness:
        console.print(
            f"{fresh.tables} tables, {fresh.changing} of which change once a second, for"
            f" {fresh.minutes:g} min: {fresh.messages:,} changes in {fresh.runs} runs, in their"
            f" current tables {fresh.median} s after their commit at the median, {fresh.p99} s at"
            f" the 99th percentile, {fresh.longest} s at most"
        )
    console.print(
        f"Spark's start, in none of these: {results.start_seconds} s;"
        f" {os.cpu_count()} cores. Of the generated messages a quarter inserts, 2 % delete,"
        " the others update (first load); 5 % insert, 5 % delete, 90 % update (incremental)."
    )


def as_json(results: Results) -> dict[str, Any]:
    """Return what was measured as JSON values."""
    return {
        "machine": {"cores": os.cpu_count(), "system": platform.platform()},
        "spark_start_seconds": results.start_seconds,
        "throughput": [
            {
                **asdict(one),
                "messages_a_second": round(one.messages_a_second),
                "megabytes_a_second": round(one.megabytes_a_second, 1),
            }
            for one in results.throughput
        ],
        "incremental": [{**asdict(one), "median": one.median} for one in results.incremental],
        "incremental_growth": {k: round(v, 2) for k, v in results.growth.items()},
        "many_tables": results.many and asdict(results.many),
        "freshness": results.freshness and asdict(results.freshness),
    }


if __name__ == "__main__":
    app()
