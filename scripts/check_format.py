#!/usr/bin/env python3
"""Runs the cases of a format's parser in one query, again after each save."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from changelake.core import settings, tuning
from changelake.core.cli import one_line_errors
from changelake.core.error_text import error_text
from changelake.core.errors import UserError
from changelake.core.terminal import Terminal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
POLL_SECONDS = 0.3
SILVER = settings.REPO / "models" / "silver"


@app.command()
@one_line_errors
def main(
    name: Annotated[str, typer.Argument(help="The format, such as canal, or another model.")],
    case: Annotated[
        list[str] | None, typer.Option(help="Only cases whose name holds this. Can be repeated.")
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="One pass; exit code 1 where something differs.")
    ] = False,
) -> None:
    """Run all unit tests of a format's parser in one query, and print what differs from them."""
    if not (SILVER / name).is_dir() and not (SILVER / f"{name}.yml").is_file():
        known = ", ".join(sorted(path.name for path in SILVER.iterdir() if path.is_dir()))
        raise UserError(f"there is no format {name!r}: use one of {known}")
    tuning.expect_little_data()
    # dbt imports it too: of two threads that import it at once, one would see half a module
    import pyspark.sql  # noqa: F401  # pyright: ignore[reportUnusedImport]

    terminal = Terminal()
    with ThreadPoolExecutor(1) as starting, contextlib.suppress(KeyboardInterrupt):
        # Java starts while dbt reads the project
        session = starting.submit(_session)
        if once:
            raise SystemExit(int(_differs(session, terminal, name, case or [])))
        for _ in saves(name):
            try:
                _differs(session, terminal, name, case or [])
            except Exception as error:
                # perhaps saved in the middle of an edit
                if session.exception() or (text := error_text(error)) is None:
                    raise
                terminal.print(f"error: {text}", style="red")
            terminal.print("waiting for a save, Ctrl-C ends", style="dim")


def _session() -> "SparkSession":
    from changelake.spark.session import spark_session

    return spark_session("changelake check_format", "sample", hive=False)


def _differs(
    session: "Future[SparkSession]", terminal: Terminal, name: str, wanted: list[str]
) -> bool:
    """Run the cases as they are now, print the differences, and say whether there are any."""
    from changelake.dev.unit_cases import UnitCases, table_of

    begun = time.monotonic()
    cases = UnitCases()
    models = cases.models()
    model = name if name in models else f"{name}_events"
    if model not in models:
        raise UserError(
            f"{model} has no unit tests: write them into models/silver, see CONTRIBUTING.md"
        )
    chosen = [one for one in models[model] if not wanted or any(part in one for part in wanted)]
    if not chosen:
        raise UserError(f"{model} has no case like {', '.join(wanted)}: {', '.join(models[model])}")
    checked = cases.check(session.result(), model, chosen)
    if checked.differences:
        terminal.print(table_of(checked.differences))
    failed = {one.case for one in checked.differences}
    terminal.print(
        f"{model}: {len(checked.cases) - len(failed)} of {len(checked.cases)} cases pass,"
        f" {time.monotonic() - begun:.1f} s",
        style="red" if failed else "green",
    )
    return bool(failed)


def saves(name: str) -> Iterator[None]:
    """Yield at once, and whenever a file of the parser or its cases has changed."""
    before = None
    while True:
        if (now := _times(name)) != before:
            before = now
            yield
        time.sleep(POLL_SECONDS)


def _times(name: str) -> dict[Path, int]:
    files = [
        *(settings.REPO / "macros").rglob("*.*"),
        *(SILVER / name).glob("*.*"),
        *SILVER.glob("*.*"),
        *(settings.REPO / "seeds").glob("*.*"),
        settings.REPO / "dbt_project.yml",
    ]
    times: dict[Path, int] = {}
    for file in files:
        # deleted since it was listed, as editors' temporary files are
        with contextlib.suppress(OSError):
            times[file] = file.stat().st_mtime_ns
    return times


if __name__ == "__main__":
    app()
