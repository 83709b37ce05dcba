"""The current and history tables that the project's models declare."""

import re
from pathlib import Path
from typing import Any, cast

import yaml

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.onboarding.model_columns import TableMeta

CURRENT, HISTORY = "current_table", "history_table"
# What a run does if a source has changed a table.
EVOLVE_VARIABLE = "changelake_evolve"
EVOLVE = ADD, ASK, OFF = "add", "ask", "off"


class DeclaredTable(TableMeta):
    """The meta of a current table's model, and what the manifest says of it, or of its history.

    Attributes:
        events: the name of the model of events that it is built from.
        state: the name of its state table.
        current: the name of the current model: its own, or for a history the one it belongs to.
    """

    events: str
    state: str
    current: str


def current_files(manifest: Any) -> dict[str, Path]:
    """Return the file of each model of a current table, by the model's name."""
    return {
        node.name: settings.REPO / node.original_file_path
        for node in _models(manifest)
        if node.config.materialized == CURRENT
    }


def declared_tables(manifest: Any) -> dict[str, DeclaredTable]:
    """Return what each model of a current or history table declares, by its name.

    Where a model does not say `evolve`, the project does.

    Args:
        manifest: the project's, see Build.manifest().

    Raises:
        UserError: a history of a table that is not there, or a meta that lacks something.
    """
    models = _models(manifest)
    current = {node.name: node for node in models if node.config.materialized == CURRENT}
    for node in current.values():
        _check(node.original_file_path, node.config.meta)
    evolve = _evolve_of_project()
    tables = {
        name: cast(
            DeclaredTable,
            {
                "evolve": evolve,
                **node.config.meta,
                "events": _events_model(node),
                "state": node.alias,
                "current": name,
            },
        )
        for name, node in current.items()
    }
    for node in models:
        if node.config.materialized != HISTORY:
            continue
        if (of := node.config.meta.get("current")) not in current:
            raise UserError(
                f"{node.original_file_path} names no current model ({of}):"
                " write the name of one into its meta, as `current`, or remove the file"
            )
        tables[node.name] = {**tables[of], "state": f"{node.alias}__history"}
    return tables


def is_of_table(table: DeclaredTable, feed: str, *names: str | None) -> bool:
    """Say whether a model is built from a source table.

    Args:
        table: what the model declares.
        feed: the source table's feed.
        names: its database, its schema and its own name.
    """
    if feed not in table["feeds"]:
        return False
    if pattern := table.get("shards"):
        return re.fullmatch(pattern, ".".join(part for part in names if part)) is not None
    return names == (table.get("database"), table.get("schema"), table.get("table"))


def _evolve_of_project() -> str:
    # dbt shows a project's vars only to its models.
    file = settings.REPO / "dbt_project.yml"
    variables: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8")).get("vars") or {}
    own: dict[str, Any] = variables.get("changelake") or {}
    how = own.get(EVOLVE_VARIABLE, variables.get(EVOLVE_VARIABLE, ADD))
    if how not in EVOLVE:
        raise UserError(f"{file} has {_no_evolve(EVOLVE_VARIABLE, how)}")
    return str(how)


def _no_evolve(name: str, how: Any) -> str:
    # YAML reads a bare `off` as false
    hint = ", in quotes" if isinstance(how, bool) else ""
    return f"{name!r} of {how!r}: write one of {', '.join(EVOLVE)}{hint}"


def _check(file: str, meta: dict[str, Any]) -> None:
    """Check the meta of a current model.

    Raises:
        UserError: something is missing or has the wrong form.
    """
    needed = ("feeds", "shards" if meta.get("shards") else "table", "columns")
    if missing := next((name for name in needed if name not in meta), ""):
        raise UserError(
            f"{file} does not say {missing!r} in its meta: write it there as scripts/onboard.py"
            " does, or remove the file"
        )
    if not isinstance(columns := meta["columns"], dict):
        raise UserError(
            f"{file} has 'columns' in its meta that name no types: write {{'id': 'bigint', …}}, as"
            " scripts/onboard.py does"
        )
    for name, column in cast(dict[str, Any], columns).items():
        if not _type_of(column):
            raise UserError(
                f"{file} has the column {name!r} without a type: write {name!r}: 'bigint', or"
                f" {name!r}: {{'type': 'bigint', …}}"
            )
    for name in ("feeds", "key"):
        given = meta.get(name)
        if not isinstance(given, list) and (given is not None or name == "feeds"):
            raise UserError(
                f"{file} has {name!r}: {given!r} in its meta: write a list, [{given!r}]"
            )
    days = meta.get("tombstone_days", 0)
    if isinstance(days, bool) or not isinstance(days, int) or days < 0:
        raise UserError(
            f"{file} has 'tombstone_days': {days!r} in its meta: write a number of days"
        )
    if (how := meta.get("evolve", ADD)) not in EVOLVE:
        raise UserError(f"{file} has {_no_evolve('evolve', how)}")
    try:
        re.compile(meta.get("shards") or "")
    except (re.error, TypeError) as error:
        raise UserError(
            f"{file} has 'shards' in its meta that is not a regular expression which both Python"
            f" and Spark read: {error}"
        ) from None


def _type_of(column: Any) -> str:
    # The declared type of a column; empty if that is not a text.
    declared = cast(dict[str, Any], column).get("type") if isinstance(column, dict) else column
    return declared if isinstance(declared, str) else ""


def _events_model(node: Any) -> str:
    names = [ref.name for ref in node.refs if ref.name.endswith("_events")]
    if len(names) != 1:
        raise UserError(f"model {node.name} has to select from one <format>_events model")
    return str(names[0])


def _models(manifest: Any) -> list[Any]:
    return [node for node in manifest.nodes.values() if node.resource_type == "model"]
