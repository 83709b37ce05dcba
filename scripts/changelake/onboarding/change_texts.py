"""What a person is told when a source differs from a model: the difference, and what to run."""

import shlex
from dataclasses import dataclass

from changelake.onboarding.declarations import Declaration
from changelake.onboarding.differences import Change
from changelake.onboarding.model_columns import Columns, declared_type, source_names
from changelake.onboarding.model_remarks import rebuild_command
from changelake.onboarding.tables import SourceTable, key_text

# Types other than text whose values messages hold as plain text.
_PLAIN = (
    "tinyint", "smallint", "int", "bigint", "decimal", "float", "double", "boolean", "date",
    "timestamp",
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A model whose source differs from it.

    Attributes:
        name: the model's.
        tables: the source tables that it is built from, with shards joined into one.
        columns: the columns that it declares.
        is_own: a person has changed it, so that onboarding only adds columns.
        is_from_schema: its types come from a schema file.
    """

    name: str
    tables: list[SourceTable]
    columns: Columns
    is_own: bool = False
    is_from_schema: bool = False

    @property
    def is_moved(self) -> bool:
        """Say whether it was renamed, so that onboarding does not find it."""
        return self.name != self.tables[0].relation

    def declared(self, column: str) -> str:
        """Return the declared type of a column of the source; empty if it is not declared."""
        found = (one for name, one in self.columns.items() if column in source_names(name, one))
        return next(map(declared_type, found), "")

    def never_seen(self) -> list[str]:
        """Return the declared columns that no message has ever had."""
        seen = {column.name for table in self.tables for column in table.columns}
        return [
            name for name, one in self.columns.items() if seen.isdisjoint(source_names(name, one))
        ]


def change_text(change: Change, subject: Subject) -> str:
    """Return what to tell a person about a difference.

    Args:
        change: the difference.
        subject: the model that it is about.
    """
    column, detail = change.column, change.detail
    rebuild = f"then run {rebuild_command(subject.name)}"
    match change.kind:
        case "new":
            return _new_text(column, subject)
        case "wider" | "unfit":
            return _type_text(change, subject)
        case "dropped":
            return f"the source no longer has {column}; its values stay"
        case "unmatched":
            return (
                f"the source no longer has {column}, which still tells older rows apart: move it to"
                f" 'left_out' in the model, {rebuild}"
            )
        case "uncounted":
            return (
                "updates lack the old row, which stays counted: have the producer send the whole"
                f" old row, or declare a key: {_key_command('COLUMN,…', subject)}, {rebuild}"
            )
        case "outgrown":
            return (
                f"{column} has values that its type does not hold: write {detail} in the model,"
                f" {rebuild}"
            )
        case "altered":
            return (
                f"the source has made {column} {detail}, which no message tells: run"
                f" {_onboard(subject, '--schema FILE')} with the new definition, {rebuild}"
            )
        case "reused" if detail:
            return (
                f"another column is called {column} now: its values are lost, until the model has"
                f" both: give each a column of its own, {rebuild}"
            )
        case "reused":
            return (
                f"another column is called {column} now: rows from before keep the values of the"
                " former one, until the producer sends them again"
            )
        case "split":
            return (
                f"the source has renamed {detail} to {column}, and the model has both: write both"
                f" names into the 'source' of one, remove the other, {rebuild}"
            )
        case "hidden":
            return (
                f"the source has a new column {column}, as the model calls the one that names the"
                f" shard: give that another name in 'shard', 'key' and 'columns', {rebuild}"
            )
        case "undecodable":
            return f"{column} has values that its type does not hold: see _undecodable"
        case "key":
            take = _key_command(_key_of(detail, subject), subject)
            return f"the source's key is now {detail or 'none'}: to take it, {take}, {rebuild}"


def renamed_text(column: str, former: str, subject: Subject) -> str:
    """Return what to tell about a column that DDL has renamed, if the model is not rewritten.

    Args:
        column: its name at the source.
        former: its former name, which the model has.
        subject: the model.
    """
    return (
        f"the source has renamed {former} to {column}: add that to its 'source', then run"
        f" {rebuild_command(subject.name)}"
    )


def holds_both(change: Change, subject: Subject) -> bool:
    """Say whether a column declared as text also holds the values of its new type at the source.

    Args:
        change: the difference.
        subject: the model that it is about.
    """
    needed = Declaration(change.detail)
    return (
        change.kind in ("wider", "unfit")
        and subject.declared(change.column) == "string"
        and needed.spark_type.startswith(_PLAIN)
        and needed.encoding in ("", "exact", "text")
    )


def _new_text(column: str, subject: Subject) -> str:
    add = "to have it, write it into 'columns' in the model"
    if not subject.is_moved:
        add = f"{_onboard(subject, '--update')} adds it"
    if never := subject.never_seen():
        one = "is" if len(never) == 1 else "are"
        return (
            f"the source has a column {column} that the model lacks, and no message has ever had"
            f" {', '.join(never)}, which {one} in the model: correct the name if they are the same"
            f" column; else {add}"
        )
    return f"the source has a new column {column}: {add}"


def _type_text(change: Change, subject: Subject) -> str:
    column, needed = change.column, change.detail
    before = subject.declared(column)
    if subject.is_own or subject.is_moved:
        take = f"write {needed} in the model"
    elif subject.is_from_schema:
        take = f"run {_onboard(subject, '--schema FILE')} with the new definition"
    else:
        take = f"run {_onboard(subject)}"
    rebuild = f"then run {rebuild_command(subject.name)}"
    if holds_both(change, subject):
        return (
            f"the source has made {column} {needed}; it stays {before} here, which holds old and"
            f" new values, so nothing has to be done. To have {needed}, where a text in another"
            f" form becomes null: {take}, {rebuild}"
        )
    return (
        f"the source now needs {column} to be {needed}, but it is {before} here: {take}, {rebuild}"
    )


def _key_of(names: str, subject: Subject) -> str:
    # the key as `--key` takes it, in the source's order
    keys = (one.key or [] for one in subject.tables)
    return key_text(next((one for one in keys if ", ".join(sorted(one)) == names), ()))


def _key_command(key: str, subject: Subject) -> str:
    if subject.is_own or subject.is_moved:
        return "write it into 'key' in the model"
    given = shlex.quote(f"{subject.tables[0].name}={key}")
    return f"run {_onboard(subject, f'--key {given}')}"


def _onboard(subject: Subject, options: str = "") -> str:
    table = subject.tables[0]
    which = f"--table {shlex.quote(table.name)}"
    if table.shards:
        which = f"--shards {shlex.quote(f'{table.name}={table.shards}')}"
    return f"scripts/onboard.py {which} {options}".rstrip()
