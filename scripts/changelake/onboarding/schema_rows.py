"""Reads tables from the rows of a database's catalog, as CSV."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.schema_tables import SchemaColumn, SchemaTable
from changelake.onboarding.sql_families import family_in_file

_COLUMNS = ("source_type", "table_name", "column_name", "column_type")
# How clients write a missing value in CSV.
_NULLS = {"", "NULL", "\\N"}
_SIGNS = {",": "a comma", ";": "a semicolon", "\t": "a tab"}


def tables_of_rows(path: Path, text: str) -> list[SchemaTable]:
    """Return the tables of a schema file of rows.

    Args:
        path: the file, for errors.
        text: its text: a header, then a row per column.

    Raises:
        UserError: it cannot be read, or has no table.
    """
    tables: dict[tuple[str, ...], SchemaTable] = {}
    keys: dict[tuple[str, ...], dict[int, str]] = {}
    for place, row in _rows(path, text):
        table = _table_of(row, tables, family_in_file(place, row["source_type"].strip()))
        _add_column(table, row, place)
        if position := row.get("key_position", "").strip():
            key = keys.setdefault((*table.qualifiers, table.name), {})
            _add_to_key(key, position, row["column_name"], place)
    if not tables:
        raise UserError(
            f"--schema {path}: no row below its first line: export the catalog's rows too"
        )
    for name, key in keys.items():
        tables[name].key = [key[position] for position in sorted(key)]
    return list(tables.values())


def _rows(path: Path, text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place of each row, for errors, and its values by column."""
    # some clients write tabs or semicolons
    delimiter = max(_SIGNS, key=text.partition("\n")[0].count)
    lines = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        skipinitialspace=True,
        # clients that write tabs quote nothing
        strict=delimiter != "\t",
    )
    header: list[str] = []
    try:
        header = [name.strip().lower() for name in next(lines, "")]
        _check_header(path, header)
        for values in lines:
            if not values:
                continue
            place = f"--schema {path}, line {lines.line_num}"
            if len(values) != len(header):
                raise UserError(
                    f"{place}: {len(values)} fields, and the first line names {len(header)}: quote"
                    f" a field that has {_SIGNS[delimiter]} or a line break in it"
                )
            row = {
                name: "" if value in _NULLS and name not in _COLUMNS else value
                for name, value in zip(header, values, strict=True)
            }
            if missing := [name for name in ("table_name", "column_name") if not row[name]]:
                raise UserError(f"{place}: no {missing[0]}: remove the line, or complete it")
            yield place, row
    except csv.Error as error:
        number = lines.line_num if header else 1
        raise UserError(
            f"--schema {path}, line {number}: {error}: close each quote, and double those within"
        ) from None


def _check_header(path: Path, header: list[str]) -> None:
    if missing := [name for name in _COLUMNS if name not in header]:
        raise UserError(
            f"--schema {path}: no column {missing[0]}: the first line names the columns"
            f" {', '.join(_COLUMNS)}, and may name database_name, schema_name, key_position,"
            " comment and table_comment"
        )


def _table_of(
    row: dict[str, str], tables: dict[tuple[str, ...], SchemaTable], family: str
) -> SchemaTable:
    # The table of a row; its first row adds it.
    qualifiers = (row.get("database_name"), row.get("schema_name"))
    place = (*(part for part in qualifiers if part), row["table_name"])
    table = tables.setdefault(place, SchemaTable(family, place[:-1], place[-1]))
    table.comment = row.get("table_comment") or table.comment
    return table


def _add_column(table: SchemaTable, row: dict[str, str], place: str) -> None:
    if any(one.name == row["column_name"] for one in table.columns):
        raise UserError(
            f"{place}: {in_line(table.whole_name)} has {row['column_name']!r} twice: tables of one"
            " name need their database_name"
        )
    table.columns.append(
        SchemaColumn(row["column_name"], row["column_type"], row.get("comment", ""))
    )


def _add_to_key(key: dict[int, str], position: str, column: str, place: str) -> None:
    at = int(position[:9]) if position.isdecimal() else 0
    if at < 1 or at in key:
        raise UserError(
            f"{place}: key_position {position[:20]!r} is not a number from 1, or is there twice"
        )
    key[at] = column
