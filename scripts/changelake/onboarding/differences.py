"""How a table's source differs from what its model declares."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from changelake.onboarding.compatible import holds, is_exact, is_written_alike, wider
from changelake.onboarding.declarations import LABELS, Declaration
from changelake.onboarding.model_columns import (
    DeclaredColumn,
    TableMeta,
    declared_type,
    is_masked,
    source_names,
)
from changelake.onboarding.renamed_columns import (
    names_at_source,
    renamed_sources,
    with_former_names,
)
from changelake.onboarding.source_types import split_type
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values

Kind = Literal[
    "new", "wider", "unfit", "dropped", "unmatched", "key", "uncounted", "outgrown", "undecodable",
    "altered", "reused", "split", "hidden",
]  # fmt: skip


class Change(NamedTuple):
    """A difference between a source and what a model declares.

    Attributes:
        kind: `new`: a column that the model lacks; `wider`: a type that holds all that was before;
            `unfit`: one that does not; `dropped`: a column that the source no longer has;
            `unmatched`: likewise, of a table without a key; `key`: another key; `uncounted`: a
            table without one gets updates without the row before; `outgrown`: values that a guessed
            type does not hold, and another one would; `undecodable`: those that none would hold
            better; `altered`: the source has altered the type of a column whose messages do not
            tell it; `reused`: a column has the name that another one had; `split`: a column that
            DDL has renamed, and that the model has twice; `hidden`: a new column of shards has the
            name of the model's column that says which shard a row is of.
        column: its name at the source; empty of `key` and `uncounted`.
        detail: the declaration that would hold the values, the type at the source of `altered`,
            the former name of `split`, the key's columns; of `reused` empty, unless the model has
            the name as a former one.
    """

    kind: Kind
    column: str
    detail: str


def changes_of(
    table: SourceTable,
    meta: TableMeta,
    can_widen: bool,
    renamed: Mapping[str, str] | None = None,
) -> list[Change]:
    """Return how a source differs from what a model declares.

    Args:
        table: with all columns seen; their values need not be looked at.
        meta: what the model declares.
        can_widen: whether its types come from messages, and not from a person or a schema file.
        renamed: the first name of each renamed column, by its present name at the source.
    """
    columns = meta["columns"]
    sources, newest, known = names_at_source(columns, meta.get("left_out", []), table)
    changes: list[Change] = []
    for column in (one for one in table.columns if one.name != table.shard):
        if column.name not in known:
            changes.append(Change("new", column.name, ""))
        if column.name not in newest:
            continue
        name = newest[column.name]
        column = with_former_names([table], sources[name])
        if column.is_dropped:
            changes.append(Change("dropped" if meta.get("key") else "unmatched", column.name, ""))
        elif needed := wider_type(table, column, columns[name]):
            changes.append(Change("wider" if can_widen else "unfit", column.name, needed))
        elif needed := _another(table, column, columns[name]):
            changes.append(Change("unfit", column.name, needed))
    if table.hidden:
        changes.append(Change("hidden", table.hidden, ""))
    names = {source: each[0] for each in sources.values() for source in each}
    key = {names.get(one, one) for one in meta.get("key") or []}
    first = {one: (renamed or {}).get(one, one) for one in table.key or []}
    if table.key is not None and {names.get(one, one) for one in first.values()} != key:
        changes.append(Change("key", "", ", ".join(sorted(table.key))))
    return changes


def split_columns(table: SourceTable, meta: TableMeta) -> list[Change]:
    """Return the renamed columns that a model has twice, since rows alone do not show a rename.

    Args:
        table: with all columns seen, and what has altered it.
        meta: what the model declares.
    """
    sources = names_at_source(meta["columns"], [], table).by_column
    now = renamed_sources(sources, table)
    return [
        Change("split", sources[name][0], sources[owner][0])
        for name in sorted(sources.keys() - now.keys())
        for owner in now
        if sources[name][0] in now[owner]
    ]


def guessed_columns(table: SourceTable, meta: TableMeta) -> list[str]:
    """Return the columns, as a model calls them, whose types no message tells in full.

    Columns whose declarations differ from the messages' types count too. Texts, which hold any
    value, and masked columns do not.

    Args:
        table: with all columns seen; their values need not be looked at.
        meta: what the model declares.
    """
    column_of = names_at_source(meta["columns"], [], table).column_of
    found: list[str] = []
    for column in table.columns:
        if (name := column_of.get(column.name)) is None:
            continue
        declared = meta["columns"][name]
        type_text = declared_type(declared)
        if type_text.startswith("string") or is_masked(declared):
            continue
        told = table.told_declaration(column)
        if told.inferred or told.text != type_text:
            found.append(name)
    return found


def changes_by_values(
    tables: Sequence[SourceTable], meta: TableMeta, names: Iterable[str], can_widen: bool
) -> dict[str, Change]:
    """Return by column what to do about a guessed type that does not hold all values.

    Args:
        tables: what the model is made of, with the values of the columns looked at.
        meta: what the model declares.
        names: some of guessed_columns().
        can_widen: whether its types come from messages, and not from a person or a schema file.
    """
    found: dict[str, Change] = {}
    for name in sorted(names):
        declared = meta["columns"][name]
        sources, type_text = source_names(name, declared), declared_type(declared)
        column = with_former_names(tables, sources)
        table = next(one for one in tables if sources[0] in {each.name for each in one.columns})
        if {name, *sources} & {*(meta.get("key") or ())}:
            # a person may have said it
            table = replace(table, key=[*(table.key or ()), column.name])
        needed, told = table.declaration(column), table.told_declaration(column)
        # a guess covers all values that were seen
        is_guess = needed.inferred or told.inferred
        better = needed.text if is_guess else wider(needed, type_text, table.tells_encodings)
        # a column of dates stays one even if a source writes infinity
        is_text_of_time = better.startswith("string") and type_text.startswith(("date", "time"))
        if better in ("", type_text):
            found[name] = Change("undecodable", column.name, "")
        elif can_widen and not is_text_of_time and is_written_alike(better, type_text):
            found[name] = Change("wider", column.name, better)
        else:
            found[name] = Change("outgrown", column.name, better)
    return found


def _another(table: SourceTable, column: SourceColumn, declared: str | DeclaredColumn) -> str:
    # The declaration that a column needs since its type has outgrown the present one; else empty.
    needed, type_text = table.declaration(column), declared_type(declared)
    # each message tells its labels; without any, the known ones stay
    had_labels = type_text.removeprefix("string from ").startswith(LABELS)
    name = split_type(column.type_text or "")[0].lower()
    has_labels = had_labels and name in ("", "enum", "set")
    if not column.has_changed or needed.inferred or has_labels or is_masked(declared):
        return ""
    if _is_plainer(type_text, needed.text):
        return ""
    tells = table.tells_encodings
    is_alike = tells and Declaration(type_text).spark_type == needed.spark_type
    if is_alike or (is_exact(needed.text) and is_exact(type_text)):
        return "" if holds(type_text, needed, Values(), tells) else needed.text
    return "" if needed.text == type_text else needed.text


_TEXTS_OF_BYTES = (
    "string from base64", "string from hierarchyid", "array<string> from base64",
)  # fmt: skip


def _is_plainer(declared: str, needed: str) -> bool:
    # Whether the plainer of two possible declarations was chosen: JSON for a list or map, a number
    # for a bit string, bytes for a text.
    return (
        (declared == "string" and needed.startswith(("array<", "map<")))
        or (declared.startswith("decimal") and needed.startswith("string from bits"))
        or ("binary" in declared and needed in _TEXTS_OF_BYTES)
    )


def wider_type(table: SourceTable, column: SourceColumn, declared: str | DeclaredColumn) -> str:
    """Return the wider type that a column has now, whichever dialect its types are in.

    Args:
        table: the column's.
        column: with what its older events hold, see with_former_names().
        declared: what the model declares of it.

    Returns:
        Empty where it has none.
    """
    if not column.has_changed or is_masked(declared):
        return ""
    type_text = declared_type(declared)
    found = [
        wider(table.declaration(column, one), type_text, table.tells_encodings)
        for one in table.dialects
    ]
    return found[0] if all(found) else ""


def remark_on_unfit(
    table: SourceTable, column: SourceColumn, name: str, declared: str | DeclaredColumn
) -> str:
    """Return a remark on a column whose declaration does not hold what the source has now.

    That is judged by its type at the source, or by its values if the type does not tell.

    Args:
        table: the column's.
        column: with its values looked at.
        name: its name in the model.
        declared: what the model declares of it.

    Returns:
        Empty where there is nothing to say.
    """
    type_text = declared_type(declared)
    possible = [table.declaration(column, dialect) for dialect in table.dialects]
    tells = table.tells_encodings
    if is_masked(declared) or any(holds(type_text, one, column.values, tells) for one in possible):
        return ""
    needed = possible[0]
    told = column.type_text or "the type in the schema file"
    what = "the values seen" if needed.inferred else told
    return f"{name} is declared {type_text}, which does not hold {what}: write {needed.text}"
