"""The present and former names of a model's columns at the source."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from changelake.onboarding.model_columns import (
    Columns,
    TableMeta,
    as_list,
    source_names,
)
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values


def former_names(meta: TableMeta) -> set[str]:
    """Return the names at the source that columns of a model had before their present ones."""
    return {name for key, one in meta["columns"].items() for name in source_names(key, one)[1:]}


class SourceNames(NamedTuple):
    """The names at the source of what a model declares.

    Attributes:
        by_column: those of each declared column, the one that it has now first.
        column_of: the declared column, by the name that it has now.
        known: all names that the model has, including those that it leaves out.
    """

    by_column: dict[str, list[str]]
    column_of: dict[str, str]
    known: set[str]


def names_at_source(columns: Columns, left_out: str | list[str], table: SourceTable) -> SourceNames:
    """Return what a model's columns are called, and were called, at the source.

    Args:
        columns: what the model declares.
        left_out: the names of columns that it leaves out.
        table: with all columns seen, and what has altered it.
    """
    gone = {one.name for one in table.columns if one.is_dropped}
    sources = {
        # a column can be renamed back
        name: sorted(source_names(name, one), key=gone.__contains__)
        for name, one in columns.items()
    }
    column_of = {names[0]: name for name, names in sources.items()}
    out = set(as_list(left_out))
    for names in ({first, *later} for first, later in table.renamed.items()):
        # by whatever name
        out |= names if out & names else set()
    return SourceNames(sources, column_of, out.union(*sources.values()))


def with_former_names(tables: Sequence[SourceTable], sources: list[str]) -> SourceColumn:
    """Return a column with what its older events hold under other names.

    Args:
        tables: the tables that have it.
        sources: its names, the newest first.
    """
    seen = [
        column for name in sources for table in tables for column in table.columns
        if column.name == name
    ]  # fmt: skip
    types = {one.type_text for one in seen if one.type_text}
    return replace(
        seen[0],
        values=reduce(Values.with_those, (one.values for one in seen)),
        has_changed=seen[0].has_changed or len(types) > 1,
    )


def new_columns(table: SourceTable, known: Collection[str]) -> list[list[str]]:
    """Return the columns of a table that a model lacks, each by its names, the newest first.

    Args:
        table: with all columns seen, and what has altered it.
        known: the names that the model has.
    """
    columns = {one.name: [one.name] for one in table.columns if one.name not in known}
    for first, later in table.renamed.items():
        names = [one for one in dict.fromkeys((*later, first)) if one in columns]
        for former in names[1:]:
            del columns[former]
        if len(names) > 1:
            columns[names[0]] = names
    return list(columns.values())


def renamed_sources(sources: Mapping[str, list[str]], table: SourceTable) -> dict[str, list[str]]:
    """Return by declared column its names at the source, the newest first, as DDL has renamed it.

    Declared columns that are one column at the source become the one with the oldest name.

    Args:
        sources: by declared column its names so far.
        table: with all columns seen, and what has altered it.
    """
    seen, found = {one.name for one in table.columns}, dict(sources)
    for first, later in table.renamed.items():
        # a column can be renamed back
        names = list(dict.fromkeys((*later, first)))
        owners = [one for name in names for one, theirs in found.items() if name in theirs]
        owners.sort(key=lambda one: first in found[one])
        known = [name for one in dict.fromkeys(owners) for name in found[one]]
        named = [one for one in names if one in seen or one in known]
        if not owners or set(named) <= set(found[owners[-1]]):
            continue
        found[owners[-1]] = [*named, *(one for one in known if one not in named)]
        for one in {*owners} - {owners[-1]}:
            del found[one]
    return found


def is_renamed(table: SourceTable, meta: TableMeta) -> bool:
    """Say whether a model does not know a rename yet, so that it would read several columns.

    Args:
        table: with all columns seen, and what has altered it.
        meta: what the model declares.
    """
    names = names_at_source(meta["columns"], meta.get("left_out", []), table)
    new = new_columns(table, names.known)
    return renamed_sources(names.by_column, table) != names.by_column or any(
        len(one) > 1 for one in new
    )
