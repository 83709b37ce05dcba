"""A copy of the project for work that must leave no trace in it: benchmarks and tests."""

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from changelake.core import settings
from changelake.core.feeds import COLUMNS

PARTS = (
    "dbt_project.yml", "macros", "models", "seeds", "tests/fixtures", "tests/generic",
    "tests/singular", "docs", "profiles",
)  # fmt: skip


@contextmanager
def project_copy(directory: Path) -> Generator[Path]:
    """Copy the project, without tables' models and feeds, and let this process build in the copy.

    Args:
        directory: where to; it is made.

    Yields:
        The copy. Until the context ends, settings.REPO is it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        source = settings.REPO / name
        if source.is_dir():
            shutil.copytree(source, directory / name, dirs_exist_ok=True)
        else:
            shutil.copy(source, directory / name)
    (directory / "profiles.yml").symlink_to("profiles/profiles.yml")
    (directory / ".jars").symlink_to(settings.JARS)
    for name in ("models/current", "models/history", "snapshots"):
        shutil.rmtree(directory / name, ignore_errors=True)
    (directory / "seeds" / "feeds.csv").write_text(",".join(COLUMNS) + "\n")
    # what dbt has parsed before it does not parse once more, which takes it seven seconds
    for parsed in settings.REPO.glob("target/**/partial_parse.msgpack"):
        kept = directory / parsed.relative_to(settings.REPO)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(parsed, kept)
    here, before, settings.REPO = Path.cwd(), settings.REPO, directory
    try:
        yield directory
    finally:
        settings.REPO = before
        os.chdir(here)
