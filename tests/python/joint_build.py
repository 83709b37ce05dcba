"""One build for the small tables of several modules.

A run takes six seconds per format beside its tables, so modules whose tables need only a few
batches share the runs. Such a module has a `PART`, and its tests use the fixture `built`, which
builds the parts of all modules that are run: a module that is run alone builds only its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from bronze_rows import BronzeRow, append_to_bronze
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze


def _nothing(_: Any) -> None:
    pass


@dataclass(frozen=True, eq=False)
class Part:
    """What a module lands and builds, in one run per batch.

    Attributes:
        feeds: the format of each feed.
        batches: the new bronze rows of each run.
        edits: by run, from 0, a function that writes or changes models before it; it gets the
            session and the project.
        look: checks the tables after each run; it gets the session.
        retried: the number of the run that also parses rejects again.
    """

    feeds: dict[str, str]
    batches: Sequence[Sequence[BronzeRow]]
    edits: Mapping[int, Callable[[Any, Path], None]]
    look: Callable[[Any], None] = _nothing
    retried: int | None = None


def build_parts(spark: Any, project: Path, log: Path, parts: Sequence[Part]) -> list[str]:
    """Build the parts run by run, and return the failures.

    A part is left out of the runs after its last batch. In the end the models are removed, since
    otherwise the runs of later modules would have them.
    """
    ensure_bronze(spark)
    models = project / "models"
    of_project = set(models.rglob("*.*"))
    failures: list[str] = []
    with log.open("w") as file:
        console = Console(file=file, width=300)
        for number in range(max(len(part.batches) for part in parts)):
            due = [part for part in parts if number < len(part.batches)]
            formats = {name: one for part in due for name, one in part.feeds.items()}
            rows: dict[str, list[BronzeRow]] = {}
            for part in due:
                for row in part.batches[number]:
                    rows.setdefault(formats[row[0]], []).append(row)
                if edit := part.edits.get(number):
                    edit(spark, project)
            for format_id, new in rows.items():
                append_to_bronze(spark, format_id, new)
            feeds = [Feed(name, one, (name,)) for name, one in formats.items()]
            retry = any(part.retried == number for part in due)
            done = build_pending(spark, "local", feeds, console, retry=retry)
            failures += [
                f"run {number + 1}: {node.name}: {node.message}"
                for node in done.failed + done.failed_tests
            ]
            for part in due:
                part.look(spark)
    for written in set(models.rglob("*.*")) - of_project:
        written.unlink()
    return failures
