#!/usr/bin/env python3
"""The local broker: `kafka.py start`, `stop`, `status`."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

from typing import Annotated

import typer

from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.kafka.broker import DEFAULT_PORT, Broker

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
Port = Annotated[
    int | None,
    typer.Option("--port", min=1, max=65535, help=f"Where it listens; {DEFAULT_PORT} by default."),
]


@app.command()
@one_line_errors
def start(port: Port = None) -> None:
    """Start the local broker unless it runs, and wait until it answers."""
    listens_on = Broker(port=port or DEFAULT_PORT).start()
    print(f"the local broker listens on 127.0.0.1:{listens_on}")
    if port is not None and port != listens_on:
        print(
            f"it was running already, so not on port {port}: to move it there, first run"
            " `scripts/kafka.py stop`"
        )


@app.command()
@one_line_errors
def stop() -> None:
    """Stop the local broker if it runs."""
    print("the local broker is stopped" if Broker().stop() else "the local broker was not running")


@app.command()
@one_line_errors
def status() -> None:
    """Say whether the local broker runs; the exit code is 1 when it does not."""
    running = Broker().running()
    if running is None:
        raise UserError("the local broker does not run: start it with `scripts/kafka.py start`")
    print(f"the local broker listens on 127.0.0.1:{running[1]}")


if __name__ == "__main__":
    app()
