"""What a rewritten model keeps from the existing one."""

import shlex
from pathlib import Path

from changelake.onboarding.compatible import holds, is_exact
from changelake.onboarding.declarations import Declaration
from changelake.onboarding.found_models import MODELS, model_file
from changelake.onboarding.generated_files import is_edited
from changelake.onboarding.model_columns import (
    Columns,
    declared,
    declared_type,
    names_by_column,
    source_names,
)
from changelake.onboarding.tables import SourceTable, key_text


def keep_key(table: SourceTable, directory: Path = MODELS) -> list[str]:
    """Give a table the key of its model, since a person may have chosen it.

    Returns:
        Remarks, if the dialect names another key.
    """
    model = declared(model_file(directory, table.relation))
    key, declarations = model.get("key"), model.get("columns") or {}
    columns = {column.name for column in table.columns}
    if key is None or key == table.key or not columns.issuperset(key):
        return []
    theirs, table.key = table.key, key
    # the source may have renamed its columns since
    newest = [source_names(one, declarations.get(one, one))[0] for one in key]
    if theirs in (None, newest):
        return []
    kept, other = (", ".join(one) or "none" for one in (key, theirs))
    given = shlex.quote(f"{table.name}={key_text(theirs)}")
    return [f"the key stays {kept}; the source's is {other}: to take that, --key {given}"]


def kept_names(model: Path) -> dict[str, list[str]]:
    """Return the columns of a model, unless it is edited, with their names at the source."""
    return names_by_column(_kept_columns(model))


def widened_declarations(
    table: SourceTable, model: Path, declarations: dict[str, Declaration]
) -> dict[str, Declaration]:
    """Return the present declarations to keep: those that hold what the new ones would.

    So what a run has widened is not undone, and no table has to be rebuilt for a guess.

    Args:
        table: as its events show it now.
        model: the existing file.
        declarations: by a column's name at the source, what its type needs now.
    """
    types = {
        source: declared_type(one)
        for name, one in _kept_columns(model).items()
        for source in source_names(name, one)
    }
    return {
        column.name: Declaration(types[column.name], declarations[column.name].inferred)
        for column in table.columns
        if (column.has_changed or declarations[column.name].inferred)
        and column.name in types
        and is_exact(types[column.name])
        and is_exact(declarations[column.name].text)
        and holds(types[column.name], declarations[column.name], column.values)
    }


def _kept_columns(model: Path) -> Columns:
    return {} if is_edited(model) else declared(model).get("columns") or {}
