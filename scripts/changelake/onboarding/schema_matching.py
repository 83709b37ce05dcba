"""Matches tables of the events with those of a schema file."""

from collections.abc import Iterable

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.tables import SourceTable


def take_schema(
    tables: Iterable[SourceTable], schema: list[SchemaTable], are_shards: bool = False
) -> None:
    """Attach a schema file's tables and columns, and give keys to tables without one.

    Args:
        tables: as the events show them.
        schema: all of the file.
        are_shards: several of the tables may match one of the file.

    Raises:
        UserError: a table matches two of the file, or two tables match one of the file.
    """
    taken: dict[int, SourceTable] = {}
    # some exports leave all keys out
    has_keys = any(one.key for one in schema)
    for table in tables:
        table.known = _known_of(table, schema)
        if table.known is None:
            continue
        other = taken.setdefault(id(table.known), table)
        is_any = not table.known.qualifiers and other.database != table.database
        if is_any and not are_shards:
            raise UserError(
                in_line(
                    f"--schema: {table.known.whole_name} can be {other.name} and {table.name}:"
                    f" write the database before the table's name, or `use`, or take --table"
                )
            )
        for column in table.columns:
            column.known = table.known.column(column.name)
        names = {column.known.name: column.name for column in table.columns if column.known}
        key = [names[one.name] for one in table.known.key_columns if one.name in names]
        if table.key is None and has_keys and len(key) == len(table.known.key):
            table.key = table.key_of(key)


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
    """Return remarks on differences between the messages and the schema file."""
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
    key = {name.lower() for name in table.key or [] if name != table.shard}
    if table.known.key and {name.lower() for name in table.known.key} != key:
        remarks.append(f"its key in the schema file is {', '.join(table.known.key)}")
    return remarks
