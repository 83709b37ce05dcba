"""Follows a table's source in its model: new columns, other names, wider types."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Literal, NamedTuple

from changelake.onboarding.declarations import (
    LABELS,
    Declaration,
    holds,
    is_exact,
    is_written_alike,
    wider,
)
from changelake.onboarding.generated_files import (
    insert_lines,
    is_edited,
    is_from_schema,
    literals,
    read_generated,
    replace_line,
)
from changelake.onboarding.model_columns import (
    Columns,
    DeclaredColumn,
    TableMeta,
    as_list,
    declared,
    declared_columns,
    declared_type,
    is_masked,
    source_names,
)
from changelake.onboarding.names import column_names
from changelake.onboarding.rendering import column_line
from changelake.onboarding.source_types import split_type
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values

Kind = Literal[
    "new", "wider", "unfit", "dropped", "unmatched", "key", "uncounted", "outgrown", "undecodable",
    "altered", "reused", "split", "hidden",
]  # fmt: skip


class Change(NamedTuple):
    """In what a source differs from what a model declares.

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

    @property
    def text(self) -> str:
        """Return what to tell a person."""
        column, detail = self.column, self.detail
        texts: dict[Kind, str] = {
            "new": f"the source has a new column {column}: scripts/onboard.py --update adds it",
            "wider": f"the source now needs {column} to be {detail}",
            "unfit": f"the source now needs {column} to be {detail}",
            "dropped": f"the source no longer has {column}; its values stay",
            "unmatched": f"the source no longer has {column}, which still tells older rows apart:"
            " move it to 'left_out' in the model, and rebuild the table",
            "uncounted": "updates lack the old row, which stays counted: declare a key,"
            " or have the producer send the whole old row",
            "outgrown": f"{column} has values that its type does not hold: write {detail}",
            "altered": f"the source has made {column} {detail}, which no message tells: run"
            " scripts/onboard.py --schema with the new definition",
            "reused": f"another column is called {column} now: "
            + (
                "its values are lost, until the model has both"
                if detail
                else "rows from before keep the values of the former one, until the producer sends"
                " them again"
            ),
            "split": f"the source has renamed {detail} to {column}, and the model has both: write"
            " both names into the 'source' of one, remove the other, and rebuild the table",
            "hidden": f"the source has a new column {column}, as the model calls the one that names"
            " the shard: give that another name in 'shard', 'key' and 'columns', and rebuild the"
            " table",
            "undecodable": f"{column} has values that its type does not hold: see _undecodable",
            "key": f"the source's key is now {detail or 'none'}: scripts/onboard.py --key takes it",
        }
        return texts[self.kind]


def changes_of(
    table: SourceTable,
    meta: TableMeta,
    can_widen: bool,
    renamed: Mapping[str, str] | None = None,
) -> list[Change]:
    """Return in what a source differs from what a model declares.

    Args:
        table: with all columns seen; their values need not be looked at.
        meta: what the model declares.
        can_widen: whether its types are of the messages, and not of a person or a schema file.
        renamed: by a column's name at the source by now the one that it had first.
    """
    columns = meta["columns"]
    sources, newest, known = _names_at_source(columns, meta.get("left_out", []), table)
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
        elif needed := _wider(table, column, columns[name]):
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


def former_names(meta: TableMeta) -> set[str]:
    """Return the names at the source that columns of a model had before their present ones."""
    return {name for key, one in meta["columns"].items() for name in source_names(key, one)[1:]}


def guessed_columns(table: SourceTable, meta: TableMeta) -> list[str]:
    """Return the columns, as a model calls them, whose types no message tells in full.

    Also those that are declared otherwise than the messages tell. Without texts, which hold what
    comes, and what is masked.

    Args:
        table: with all columns seen; their values need not be looked at.
        meta: what the model declares.
    """
    _, newest, _ = _names_at_source(meta["columns"], [], table)
    found: list[str] = []
    for column in table.columns:
        declared = meta["columns"][newest[column.name]] if column.name in newest else "string"
        type_text = declared_type(declared)
        if type_text.startswith("string") or is_masked(declared):
            continue
        told = table.told_declaration(column)
        if told.inferred or told.text != type_text:
            found.append(newest[column.name])
    return found


def changes_by_values(
    tables: Sequence[SourceTable], meta: TableMeta, names: Iterable[str], can_widen: bool
) -> dict[str, Change]:
    """Return by column what to do, since its guessed type does not hold the values seen.

    Args:
        tables: what the model is made of, with the values of the columns looked at.
        meta: what the model declares.
        names: some of guessed_columns().
        can_widen: whether its types are of the messages, and not of a person or a schema file.
    """
    found: dict[str, Change] = {}
    for name in sorted(names):
        declared = meta["columns"][name]
        sources, type_text = source_names(name, declared), declared_type(declared)
        column = with_former_names(tables, sources)
        table = next(one for one in tables if sources[0] in {each.name for each in one.columns})
        needed, told = table.declaration(column), table.told_declaration(column)
        # a guess holds all values that were seen
        is_guess = needed.inferred or told.inferred
        better = needed.text if is_guess else wider(needed, type_text, table.tells_encodings)
        # a column of dates is one still where a source writes infinity
        is_text_of_time = better.startswith("string") and type_text.startswith(("date", "time"))
        if better in ("", type_text):
            found[name] = Change("undecodable", column.name, "")
        elif can_widen and not is_text_of_time and is_written_alike(better, type_text):
            found[name] = Change("wider", column.name, better)
        else:
            found[name] = Change("outgrown", column.name, better)
    return found


def with_former_names(tables: Sequence[SourceTable], sources: list[str]) -> SourceColumn:
    """Return a column with what its older events hold under other names.

    Args:
        tables: what it is of.
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


def _names_at_source(
    columns: Columns, left_out: str | list[str], table: SourceTable
) -> tuple[dict[str, list[str]], dict[str, str], set[str]]:
    # By declared column its names at the source, the one that it has first; by this the column; and
    # all names that the model has, those that it leaves out too.
    gone = {one.name for one in table.columns if one.is_dropped}
    sources = {
        # a column can get a former name back
        name: sorted(source_names(name, one), key=gone.__contains__)
        for name, one in columns.items()
    }
    newest = {names[0]: name for name, names in sources.items()}
    out = set(as_list(left_out))
    for names in ({first, *later} for first, later in table.renamed.items()):
        # by whatever name
        out |= names if out & names else set()
    return sources, newest, out.union(*sources.values())


def _another(table: SourceTable, column: SourceColumn, declared: str | DeclaredColumn) -> str:
    # What a column needs whose type has become one that what is declared does not hold; else empty.
    needed, type_text = table.declaration(column), declared_type(declared)
    # a message says its own labels; without any they are known from before
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
    # What is declared where a list, a map, a bit string or a text could be: JSON, a number, bytes.
    return (
        (declared == "string" and needed.startswith(("array<", "map<")))
        or (declared.startswith("decimal") and needed.startswith("string from bits"))
        or ("binary" in declared and needed in _TEXTS_OF_BYTES)
    )


def _wider(table: SourceTable, column: SourceColumn, declared: str | DeclaredColumn) -> str:
    # The wider type that a column has come to have, whichever dialect its types are of; else empty.
    if not column.has_changed or is_masked(declared):
        return ""
    type_text = declared_type(declared)
    found = [
        wider(table.declaration(column, one), type_text, table.tells_encodings)
        for one in table.dialects
    ]
    return found[0] if all(found) else ""


@dataclass
class Followed:
    """What a model has taken over from its source.

    Attributes:
        added: the new columns, by their names in the current table.
        changed: the columns that are declared otherwise now, as `n int is now bigint`.
        unfit: by a column's name at the source, that its declaration does not hold what the
            source has, and which one would.
        inferred: the new columns whose types are guesses from the values.
    """

    added: list[str]
    changed: list[str]
    unfit: dict[str, str]
    inferred: list[str]


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
    sources, newest, known = _names_at_source(columns, left_out, table)
    unfit: dict[str, str] = {}
    for name in (newest[one.name] for one in table.columns if one.name in newest):
        column = with_former_names([table], sources[name])
        needed = _wider(table, column, columns[name]) if can_widen else ""
        if needed and (done := widen(path, column.name, needed)):
            changed.append(done.text)
            continue
        if remark := _unfit(table, column, name, columns[name]):
            unfit[column.name] = remark
    now = renamed_sources(sources, table)
    for name in now.keys() & sources.keys():
        if more := [one for one in now[name] if one not in sources[name]]:
            twice = [one for one, names in sources.items() if one not in now and names[0] in more]
            remove = f", remove {', '.join(twice)}" if twice else ""
            unfit[more[0]] = (
                f"{name} is also {', '.join(more)}: write 'source': {literals(now[name])}{remove}"
            )
            known |= {*more}
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
    inferred = [names[one.name] for one in added if table.declaration(one).inferred]
    return Followed([names[one.name] for one in added], changed, unfit, inferred)


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


class Widened(NamedTuple):
    """A column of a model that is declared otherwise now.

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
    """Declare a column of a model otherwise, unless a person has edited it.

    Args:
        path: the model.
        column: its name at the source.
        needed: `<spark type>[ from <encoding>]`.
        before: how it has to be declared so far; None: in any way.

    Returns:
        What was done; None where its line is not found.

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    columns, _ = declared_columns(path, read_generated(path) or "")
    sources = {name: source_names(name, one) for name, one in columns.items()}
    name = next((one for one, names in sources.items() if column in names), None)
    if name is None:
        return None
    done = Widened(column, declared_type(columns[name]), needed, name)
    lines = [column_line(name, sources[name], one) for one in (done.before, needed)]
    if before not in (None, done.before) or not replace_line(path, *lines):
        return None
    return done


def is_renamed(table: SourceTable, meta: TableMeta) -> bool:
    """Say whether a model lacks that DDL has renamed columns: it would read them as several.

    Args:
        table: with all columns seen, and what has altered it.
        meta: what the model declares.
    """
    sources, _, known = _names_at_source(meta["columns"], meta.get("left_out", []), table)
    new = new_columns(table, known)
    return renamed_sources(sources, table) != sources or any(len(names) > 1 for names in new)


def split_columns(table: SourceTable, meta: TableMeta) -> list[Change]:
    """Return the columns that a model has twice, since it knows the new name from rows alone.

    Args:
        table: with all columns seen, and what has altered it.
        meta: what the model declares.
    """
    sources, _, _ = _names_at_source(meta["columns"], [], table)
    now = renamed_sources(sources, table)
    return [
        Change("split", sources[name][0], sources[owner][0])
        for name in sorted(sources.keys() - now.keys())
        for owner in now
        if sources[name][0] in now[owner]
    ]


def renamed_sources(sources: Mapping[str, list[str]], table: SourceTable) -> dict[str, list[str]]:
    """Return by declared column its names at the source, the newest first, as DDL has renamed it.

    Columns that are one at the source become the one that has the oldest name.

    Args:
        sources: by declared column its names so far.
        table: with all columns seen, and what has altered it.
    """
    seen, found = {one.name for one in table.columns}, dict(sources)
    for first, later in table.renamed.items():
        # it can have got the first one back
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


def _rename(table: SourceTable, path: Path) -> list[str]:
    # Let columns of a model go by their source's other names too; return what was done.
    columns, _ = declared_columns(path, read_generated(path) or "")
    sources = {name: source_names(name, one) for name, one in columns.items()}
    types = {name: declared_type(one) for name, one in columns.items()}
    now = renamed_sources(sources, table)
    done: list[str] = []
    for name, names in now.items():
        lines = [column_line(name, one, types[name]) for one in (sources[name], names)]
        if names == sources[name] or not replace_line(path, *lines):
            continue
        done += [f"{name} is also {one}" for one in names if one not in sources[name]]
        for one in sources.keys() - now.keys():
            if sources[one][0] in names:
                replace_line(path, column_line(one, sources[one], types[one]), "")
    return done


def _unfit(
    table: SourceTable, column: SourceColumn, name: str, declared: str | DeclaredColumn
) -> str:
    # What to say of a declared column whose type at the source, or whose values where that does not
    # tell, need another declaration by now; empty if there is nothing to say.
    type_text = declared_type(declared)
    possible = [table.declaration(column, dialect) for dialect in table.dialects]
    tells = table.tells_encodings
    if is_masked(declared) or any(holds(type_text, one, column.values, tells) for one in possible):
        return ""
    needed = possible[0]
    told = column.type_text or "the type in the schema file"
    what = "the values seen" if needed.inferred else told
    return f"{name} is declared {type_text}, which does not hold {what}: write {needed.text}"
