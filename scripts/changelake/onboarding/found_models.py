"""Finds the models of tables among the project's files."""

import re
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.onboarding.model_columns import as_list, declared
from changelake.onboarding.tables import SourceTable

MODELS = settings.REPO / "models" / "current"
HISTORIES = settings.REPO / "models" / "history"


def model_file(directory: Path, name: str) -> Path:
    """Return the file of a model, wherever it was moved to, or where to write it.

    Args:
        directory: the folder of current or history models.
        name: the model's.
    """
    return next(iter(sorted(directory.rglob(f"{name}.sql"))), directory / f"{name}.sql")


def has_model(table: SourceTable, directory: Path = MODELS) -> bool:
    """Say whether a table has a model."""
    return model_file(directory, table.relation).exists()


def shards_of_models(directory: Path = MODELS) -> list[tuple[list[str], str]]:
    """Return the feeds and the pattern of table names of each model of shards.

    Raises:
        UserError: such a pattern is not a regular expression.
    """
    found: list[tuple[list[str], str]] = []
    for path in sorted(directory.rglob("*.sql")):
        meta = declared(path)
        if pattern := meta.get("shards"):
            try:
                re.compile(pattern)
            except (re.error, TypeError) as error:
                raise UserError(
                    f"{path} has 'shards' in its meta that is not a regular expression: {error}:"
                    " correct it"
                ) from None
            found.append((as_list(meta.get("feeds")), pattern))
    return found


def other_of_name(model: Path) -> Path | None:
    """Return the file of the project, if any, that has the name of a model still to be written.

    dbt's ref() finds models, seeds and snapshots by their names alone.
    """
    if model.exists():
        return None
    models, seeds, snapshots = (settings.REPO / one for one in ("models", "seeds", "snapshots"))
    snapshot = re.compile(rf"\b(name:|snapshot)\s+{model.stem}\b")
    found = [
        *models.rglob(f"{model.stem}.sql"),
        *models.rglob(f"{model.stem}.py"),
        *seeds.rglob(f"{model.stem}.csv"),
        *(
            file
            for file in snapshots.rglob("*.*")
            if snapshot.search(file.read_text("utf-8", errors="replace"))
        ),
    ]
    return found[0].relative_to(settings.REPO) if found else None
