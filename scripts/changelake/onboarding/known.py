"""Tells tables that the events show by what a schema file says of them."""

from collections.abc import Iterable

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.schema_files import SchemaTable
from changelake.onboarding.tables import SourceTable


def take_schema(tables: Iterable[SourceTable], schema: list[SchemaTable]) -> None:
    """Give tables and their columns what a schema file says of them, their keys among it.

    Args:
        tables: as the events show them.
        schema: all of the file.

    Raises:
        UserError: the file has two tables that one of them can be.
    """
    for table in tables:
        table.known = _known_of(table, schema)
        if table.known is None:
            continue
        for column in table.columns:
            column.known = table.known.column(column.name)
        names = {column.known.name: column.name for column in table.columns if column.known}
        key = [names.get(one.name) for one in table.known.key_columns]
        # a key that the messages lack a column of is none of theirs
        if None not in key and (key or table.key is None):
            table.key = table.key_of([one for one in key if one is not None])


def _known_of(table: SourceTable, schema: list[SchemaTable]) -> SchemaTable | None:
    *shown, name = (
        table.name.split(".") if table.shards else (table.database, table.schema, table.table)
    )
    qualifiers = {one.lower() for one in shown if one}
    found: dict[tuple[bool, int], list[SchemaTable]] = {}
    for one in schema:
        theirs = {part.lower() for part in one.qualifiers}
        # the file may name less than the events do, or more
        if one.name.lower() == name.lower() and (theirs <= qualifiers or qualifiers <= theirs):
            found.setdefault((one.name == name, len(theirs & qualifiers)), []).append(one)
    if not found:
        return None
    best = found[max(found)]
    if len(best) > 1:
        raise UserError(
            in_line(
                f"--schema: {table.name} can be {best[0].whole_name} and {best[1].whole_name}:"
                " leave one of them out of the file"
            )
        )
    return best[0]


def remarks_on(table: SourceTable) -> list[str]:
    """Return where the messages and the schema file differ."""
    if table.known is None:
        return []
    remarks = [one for column in table.columns if (one := table.disagreement(column))]
    if remarks:
        remarks.append("declared as the messages have it: the file may be older than they are")
    seen = {column.known.name for column in table.columns if column.known}
    if unseen := [one.name for one in table.known.columns if one.name not in seen]:
        remarks.append(f"in the schema file alone, and left out: {', '.join(unseen)}")
    if unknown := [one.name for one in table.columns if not one.known and one.name != table.shard]:
        remarks.append(f"in the messages alone: {', '.join(unknown)}")
    told = {column.name for column in table.columns if column.is_key and column.name != table.shard}
    key = set(table.key or []) - {table.shard}
    if told and told != key:
        remarks.append(f"the key of the messages is another one: {', '.join(sorted(told))}")
    return remarks
