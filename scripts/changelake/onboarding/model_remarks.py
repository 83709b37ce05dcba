"""What a person is told about a model that was written, or got new columns."""

import re
from collections.abc import Mapping
from pathlib import Path

from changelake.onboarding.declarations import Declaration
from changelake.onboarding.found_models import HISTORIES
from changelake.onboarding.model_columns import declared_columns
from changelake.onboarding.tables import SourceTable

# The dialects that a table of Canal's messages can have.
WRITERS = {"canal": "Canal", "oceanbase_default_extended": "OMS"}
# not a column of that name, which stands further in
_KEY = re.compile(r"^ {8}'key': (.*)$", re.M)


def remarks_on_dialects(
    table: SourceTable, names: dict[str, str], declarations: dict[str, Declaration]
) -> list[str]:
    """Return what to declare where a table's types can also be those of another dialect.

    Args:
        table: the table.
        names: by a column's name at the source, its name.
        declarations: by a column's name at the source.
    """
    read, *others = table.dialects
    return [
        f"its types can be {WRITERS[read]}'s or {WRITERS[other]}'s, and are read as"
        f" {WRITERS[read]}'s; if {WRITERS[other]} writes them, declare {', '.join(different)}"
        for other in others
        if (
            different := [
                f"{names[column.name]} {declaration.text}"
                for column in table.columns
                if (declaration := table.declaration(column, other)) != declarations[column.name]
            ]
        )
    ]


def remarks_on_changes(table: SourceTable, path: Path, before: str, after: str) -> list[str]:
    """Return what a rewritten model declares differently.

    Args:
        table: the table.
        path: the model.
        before: its old text.
        after: its new text.
    """
    (old, _), (new, _) = declared_columns(path, before), declared_columns(path, after)
    changed = [name for name in old if name in new and old[name] != new[name]]
    if _KEY.findall(before) != _KEY.findall(after):
        changed.append("the key")
    remarks: list[str] = []
    if changed:
        remarks.append(
            f"changed {', '.join(changed)}: if it is built already, run"
            f" {rebuild_command(table.relation)}"
        )
    if added := [name for name in new if name not in old]:
        remarks.append(remark_on_added(table, added))
    return remarks


def remark_on_added(table: SourceTable, names: list[str]) -> str:
    """Return a remark on new columns of a table."""
    command = rebuild_command(table.relation)
    return f"added {', '.join(names)}: null in older rows; to fill them in: {command}"


def remark_on_inferred(table: SourceTable, types: Mapping[str, Declaration]) -> str:
    """Return a remark on columns with guessed types.

    Args:
        table: the table.
        types: by a column's name in the model.
    """
    listed = ", ".join(f"{name} {one.spark_type}" for name, one in types.items())
    said = f"types inferred from the values seen: {listed}"
    # a schema file does not describe documents
    if table.known or table.source_type == "mongodb":
        return said
    is_number = any(one.spark_type == "bigint" for one in types.values())
    # in dialects whose messages may tell how a value is encoded, but did not here
    if table.tells_encodings and is_number:
        said += "; a date or a time that comes as a number is a bigint"
    return f"{said}; scripts/onboard.py --schema FILE takes the source's own types"


def rebuild_command(model: str) -> str:
    """Return the command that rebuilds a current table and its history."""
    models = [model, *(file.stem for file in HISTORIES.rglob(f"{model}__history.sql"))]
    return f"dbt build --target local --full-refresh --select {' '.join(models)}"
