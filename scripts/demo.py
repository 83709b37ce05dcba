#!/usr/bin/env python3
"""Shows the way from Kafka to current tables with the sample messages and a local broker."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import os
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from changelake.build.dbt import Build, parse
from changelake.core import settings, tuning
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.feeds import read_feeds
from changelake.core.terminal import Terminal
from changelake.core.words import size
from changelake.dev.demo_report import SHOWN, WIDTH, show
from changelake.dev.samples import publish, register_bronze
from changelake.kafka.broker import Broker, free_port
from changelake.landing.job import land
from changelake.spark.interrupts import Interrupts
from changelake.spark.session import spark_session

BUILT = (
    "resource_type:seed",
    "+change_events",
    "+rejected_messages",
    "+message_counts",
    *sorted(SHOWN),
    "every_message_is_accounted_for",
)
# Bronze is what was landed, not what these seeds would make of it.
NOT_BUILT = ("path:seeds/samples/*_messages.csv", "test_type:unit")
# only the tests that are named
WITH = ("--indirect-selection", "empty")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The local broker's port; by default a free one."),
    ] = None,
) -> None:
    """Start a broker, publish the samples, land and build them, and show the tables."""
    console = Terminal()
    console.width = min(console.width, WIDTH) if console.is_terminal else WIDTH
    os.environ[settings.HOME_VARIABLE] = str(settings.home() / "demo")
    tuning.expect_little_data()
    feeds = read_feeds(target="sample")
    broker = Broker(port=port or free_port())
    was_running = broker.running() is not None
    interrupts = Interrupts()
    try:
        # so that SIGTERM stops the broker too
        interrupts.listen()
        with ThreadPoolExecutor() as beside:
            with step(console, "starting a local Kafka broker, and Spark") as done:
                started = beside.submit(broker.start)
                published = beside.submit(lambda: publish(f"127.0.0.1:{started.result()}", feeds))
                spark = spark_session("changelake demo", "sample", hive=True, doing="")
                interrupts.listen()
                servers = f"127.0.0.1:{started.result()}"
                done(f"a local Kafka broker on {servers}, and Spark")
            # dbt parses the project in Python, while Java uses the other core
            parsed = beside.submit(parse, "sample")
            with step(console, "publishing the sample messages") as done:
                count = published.result()
                done(
                    f"{count or 'no'} new messages published to {len(feeds)} topics,"
                    " one per dialect"
                )
            with step(console, "landing them in bronze") as done:
                landed = land(spark, feeds, servers)
                amount = size(sum(one.bytes for one in landed))
                count = sum(one.messages for one in landed)
                done(f"{count} messages ({amount}) landed in bronze, as they are")
        with step(console, "building events and tables") as done:
            register_bronze(spark, feeds)
            project = Build(spark, "sample", lambda node: None, parsed.result)
            built = project.invoke("build", "--select", *BUILT, "--exclude", *NOT_BUILT, *WITH)
            for node in built.failed + built.failed_tests:
                raise UserError(f"{node.name} failed: {node.message}")
            done(f"events of {len(feeds)} dialects and {len(SHOWN)} tables built")
    except KeyboardInterrupt:
        raise typer.Exit(interrupts.exit_code) from None
    finally:
        interrupts.end()
        if not was_running:
            broker.stop()
    show(console)


@contextmanager
def step(console: Terminal, doing: str) -> Generator[Callable[[str], None]]:
    """Show in one line that something is being done, then what was done and how long it took."""
    begun = time.monotonic()
    said = doing

    def done(text: str) -> None:
        nonlocal said
        said = text

    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    with bar:
        bar.add_task(doing, total=None)
        yield done
    console.print(f"{time.monotonic() - begun:4.0f} s  {said}")


if __name__ == "__main__":
    app()
