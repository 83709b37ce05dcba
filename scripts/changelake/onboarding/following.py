"""Follows a table's source in its model: new columns, other names, wider types."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from changelake.onboarding.declarations import Declaration
from changelake.onboarding.differences import remark_on_unfit, wider_type
from changelake.onboarding.generated_files import (
    insert_lines,
    is_edited,
    is_from_schema,
    literals,
    read_generated,
    replace_lines,
)
from changelake.onboarding.model_columns import (
    Columns,
    declared,
    declared_columns,
    declared_type,
    names_by_column,
)
from changelake.onboarding.names import column_names
from changelake.onboarding.renamed_columns import (
    names_at_source,
    new_columns,
    renamed_sources,
    with_former_names,
)
from changelake.onboarding.rendering import column_line
from changelake.onboarding.tables import SourceTable


@dataclass
class Followed:
    """What a model has adopted from its source.

    Attributes:
        added: the new columns, by their names in the current table.
        changed: changed declarations, like `n int is now bigint, as at the source`.
        unfit: remarks on declarations that do not hold what the source has, by the column's name
            at the source.
        inferred: the guessed types of new columns, by their names in the current table.
    """

    added: list[str]
    changed: list[str]
    unfit: dict[str, str]
    inferred: dict[str, Declaration]


def follow_source(table: SourceTable, path: Path, can_change: bool) -> Followed:
    """Add a table's new columns to its model, and perhaps change what it declares of others.

    What a person has written stays, and so do the types that a schema file has said.

    Args:
        table: with all columns seen, and what has altered it.
        path: the model.
        can_change: whether columns may be widened and renamed, which needs a rebuild of the table.

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    can_change &= not is_edited(path)
    changed = _rename(table, path) if can_change else []
    columns, _ = declared_columns(path, read_generated(path) or "")
    can_widen = can_change and not is_from_schema(path)
    left_out = declared(path).get("left_out", [])
    sources, newest, known = names_at_source(columns, left_out, table)
    unfit: dict[str, str] = {}
    for name in (newest[one.name] for one in table.columns if one.name in newest):
        column = with_former_names([table], sources[name])
        needed = wider_type(table, column, columns[name]) if can_widen else ""
        if needed and (done := widen(path, column.name, needed)):
            changed.append(f"{done.text}, as at the source")
            continue
        if remark := remark_on_unfit(table, column, name, columns[name]):
            unfit[column.name] = remark
    remarks, names = _names_to_add(table, sources)
    added, inferred = _add(table, path, columns, known | names)
    return Followed(added, changed, unfit | remarks, inferred)


def _names_to_add(
    table: SourceTable, sources: dict[str, list[str]]
) -> tuple[dict[str, str], set[str]]:
    # Remarks on declared columns that DDL has renamed, by the newest name; and all names that the
    # model lacks because of that.
    remarks: dict[str, str] = {}
    names: set[str] = set()
    now = renamed_sources(sources, table)
    for name in now.keys() & sources.keys():
        if more := [one for one in now[name] if one not in sources[name]]:
            twice = [one for one, theirs in sources.items() if one not in now and theirs[0] in more]
            remove = f", remove {', '.join(twice)}" if twice else ""
            renamed = _renamed(name, sources[name], now[name])
            remarks[more[0]] = f"{renamed}: write 'source': {literals(now[name])}{remove}"
            names.update(more)
    return remarks, names


def _renamed(column: str, before: list[str], now: list[str]) -> str:
    # How to report a column that has more names at the source than before.
    more = [one for one in now if one not in before]
    if now[0] not in more:
        return f"{column} was also called {', '.join(more)} at the source"
    return f"the source renamed {before[0]} to {', then to '.join(reversed(more))}"


def _add(
    table: SourceTable, path: Path, columns: Columns, known: set[str]
) -> tuple[list[str], dict[str, Declaration]]:
    # Add the columns that a model lacks; return their names in it, and the guessed types.
    chains = {one[0]: one for one in new_columns(table, known)}
    added = [with_former_names([table], one) for one in chains.values()]
    names = column_names([*columns, *chains])
    if added:
        _, end = declared_columns(path, read_generated(path) or "")
        lines = [
            column_line(names[one.name], chains[one.name], table.declaration(one).text)
            for one in added
        ]
        insert_lines(path, end, "".join(lines))
    types = {names[one.name]: table.declaration(one) for one in added}
    return [*types], {name: one for name, one in types.items() if one.inferred}


class Widened(NamedTuple):
    """A column of a model whose declaration was changed.

    Attributes:
        column: its name at the source.
        before, now: `<spark type>[ from <encoding>]`.
        name: its name in the model.
    """

    column: str
    before: str
    now: str
    name: str

    @property
    def text(self) -> str:
        """Return what to tell a person."""
        return f"{self.name} {self.before} is now {self.now}"


def widen(path: Path, column: str, needed: str, before: str | None = None) -> Widened | None:
    """Change the declaration of a column, unless a person has edited the model.

    Args:
        path: the model.
        column: its name at the source.
        needed: `<spark type>[ from <encoding>]`.
        before: what its declaration has to be so far; None: anything.

    Returns:
        What was done; None if its line is not found.

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    columns, _ = declared_columns(path, read_generated(path) or "")
    sources = names_by_column(columns)
    name = next((one for one, names in sources.items() if column in names), None)
    if name is None:
        return None
    done = Widened(column, declared_type(columns[name]), needed, name)
    old, new = (column_line(name, sources[name], one) for one in (done.before, needed))
    if before not in (None, done.before) or not replace_lines(path, {old: new}):
        return None
    return done


def _rename(table: SourceTable, path: Path) -> list[str]:
    # Add the other names at the source to columns of a model; return what was done.
    columns, _ = declared_columns(path, read_generated(path) or "")
    sources = names_by_column(columns)
    types = {name: declared_type(one) for name, one in columns.items()}
    now = renamed_sources(sources, table)
    done: list[str] = []
    for name, names in now.items():
        if names == sources[name]:
            continue
        old, new = (column_line(name, one, types[name]) for one in (sources[name], names))
        # remove the duplicate column at once: nothing would notice it later
        twins = [one for one in sources.keys() - now.keys() if sources[one][0] in names]
        gone = {column_line(one, sources[one], types[one]): "" for one in twins}
        if not replace_lines(path, {old: new, **gone}):
            continue
        renamed = _renamed(name, sources[name], names)
        done.append(f"{renamed}; the table keeps the name {name}")
    return done
