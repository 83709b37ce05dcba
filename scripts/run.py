#!/usr/bin/env python3
"""Lands and builds in one process and one Spark session: what a scheduler calls."""

import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from changelake import settings
from changelake.build import build_news
from changelake.errors import UserError, one_line_errors
from changelake.feeds import choose_feeds, read_feeds
from changelake.kafka_client import check_reachable, kafka_properties
from changelake.landing import LandingError, land
from changelake.landing_report import LandingReport
from changelake.spark import spark_session

# 2 is that of a wrong option
EXIT_LANDING, EXIT_BUILD, EXIT_TEST = 3, 4, 5

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(
    help="Land what is new and build the tables that have news. Exit codes: 0 all is well,"
    " 1 and 2 wrong configuration or use, 3 a feed could not be landed (the others were, and are"
    " built), 4 a model could not be built, 5 a test failed."
)
@one_line_errors
def main(
    bootstrap_servers: Annotated[
        str | None,
        typer.Option(
            help="HOST:PORT of the brokers. Without: build what has landed.",
            envvar="CHANGELAKE_KAFKA_BOOTSTRAP_SERVERS",
        ),
    ] = None,
    feed: Annotated[list[str] | None, typer.Option(help="Land only this feed.")] = None,
    select: Annotated[
        list[str] | None, typer.Option(help="What to build, as dbt's --select, news or not.")
    ] = None,
    target: Annotated[str, typer.Option(help="local, or sample.")] = "local",
    kafka_properties_file: Annotated[
        Path | None, typer.Option("--kafka-properties", help="Client settings of Kafka.")
    ] = None,
    retry_rejects: Annotated[
        bool, typer.Option(help="Parse the rejected messages once more, as after a fix.")
    ] = False,
    summary: Annotated[
        Path | None, typer.Option(help="Write what was done to this file, as JSON.")
    ] = None,
) -> None:
    """Run."""
    settings.check_target(target)
    if target == "cluster":
        raise UserError("on a cluster, land with scripts/land.py and build with dbt build")
    console = Console(highlight=False)
    done: dict[str, Any] = {"landed": [], "built": [], "seconds": {}}
    started = time.monotonic()
    feeds = read_feeds()
    chosen = choose_feeds(feeds, feed or [])
    properties = kafka_properties(kafka_properties_file)
    if bootstrap_servers:
        check_reachable(bootstrap_servers)
    spark = spark_session("changelake run", target, hive=True)
    done["seconds"]["start"] = round(time.monotonic() - started, 1)

    landing_failed = None
    if bootstrap_servers:
        begun = time.monotonic()
        with LandingReport() as report:
            try:
                results = land(
                    spark,
                    chosen,
                    bootstrap_servers,
                    all_feeds=feeds,
                    properties=properties,
                    report=report.update,
                )
            except LandingError as error:
                landing_failed, results = error, error.results
            report.summary(results)
        done["landed"] = [asdict(result) for result in results]
        done["seconds"]["landing"] = round(time.monotonic() - begun, 1)

    begun = time.monotonic()
    built = build_news(spark, target, chosen, console, select or [], retry_rejects)
    done["built"] = [asdict(node) for node in built.nodes]
    done["seconds"]["building"] = round(time.monotonic() - begun, 1)
    done["seconds"]["all"] = round(time.monotonic() - started, 1)

    code = 0
    if built.failed_tests:
        code = EXIT_TEST
    if built.failed:
        code = EXIT_BUILD
    if landing_failed:
        code = EXIT_LANDING
    done["exit_code"] = code
    if summary:
        summary.parent.mkdir(parents=True, exist_ok=True)
        summary.write_text(json.dumps(done, indent=2, default=str) + "\n")
    for node in built.failed + built.failed_tests:
        console.print(f"[red]{node.kind} {node.name}[/]: {node.message}", soft_wrap=True)
    if landing_failed:
        console.print(f"[red]error[/]: {landing_failed}", soft_wrap=True)
    models = sum(node.kind == "model" for node in built.nodes)
    tests = sum(node.kind == "test" for node in built.nodes)
    console.print(f"{models} models built, {tests} tests run in {done['seconds']['building']} s")
    raise typer.Exit(code)


if __name__ == "__main__":
    app()
