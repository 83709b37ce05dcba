"""Reads the schema of a database: `create table` statements, or rows of its catalog."""

import codecs
import io
import re
from pathlib import Path

from sqlglot.errors import SqlglotError

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.core.words import size
from changelake.onboarding.schema_rows import tables_of_rows
from changelake.onboarding.schema_statements import tables_of_statements
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.source_types import rule_of, split_type
from changelake.onboarding.sql_families import DIALECTS, family_in_file

# The definitions of 100,000 tables; beyond it, a dump has rows.
MAX_BYTES = 250_000_000
_DATABASE_TYPE = re.compile(r"^\s*--\s*source_type:\s*(\w+)", re.MULTILINE | re.IGNORECASE)


def read_schema(path: Path, families: set[str]) -> list[SchemaTable]:
    """Read the tables of a schema file.

    Args:
        path: a CSV where its suffix is .csv, else statements.
        families: the database families of the events, which decide if the statements could be
            from several.

    Raises:
        UserError: it cannot be read, has no table, or could be of several databases.
    """
    text = _text(path)
    is_csv = path.suffix.lower() == ".csv"
    tables = tables_of_rows(path, text) if is_csv else _of_text(path, text, families)
    for table in tables:
        for column in [one for one in table.key if not table.column(one)]:
            raise UserError(
                f"--schema {path}: {in_line(table.whole_name)} has no column {column!r} for its key"
            )
    return tables


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(f"--schema {path}: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise UserError(
            f"--schema {path}: larger than {size(MAX_BYTES)}: export the definitions without rows,"
            " for example with --no-data or --schema-only"
        )
    # SQL Server's client and PowerShell write UTF-16
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if is_utf16 else "utf-8-sig"
    try:
        text = io.TextIOWrapper(io.BytesIO(data), encoding=encoding).read()
    except UnicodeDecodeError as error:
        start = error.start
    else:
        if "\0" not in text:
            return text
        start = data.index(0)
    line = data.count(b"\n", 0, start) + 1
    raise UserError(f"--schema {path}, line {line}: not UTF-8 (byte {start}): save it as UTF-8")


def _of_text(path: Path, text: str, families: set[str]) -> list[SchemaTable]:
    head = re.split(r"\bcreate\b", text, maxsplit=1, flags=re.IGNORECASE)[0]
    if named := _DATABASE_TYPE.search(head):
        tries = [{family_in_file(f"--schema {path}", named.group(1))}]
    else:
        # the families of the events first, and no other if these cannot be read to the end
        tries = [families & set(DIALECTS), set(DIALECTS) - {"gaussdb"}]
    errors: list[str] = []
    for possible in tries:
        read = {family: _tables(family, text, errors) for family in DIALECTS if family in possible}
        scores = {family: _score(tables) for family, tables in read.items() if tables}
        best = [family for family, score in scores.items() if score == max(scores.values())]
        if len(best) > 1:
            raise UserError(
                f"--schema {path}: could be of {' or '.join(best)}: say which in a first line"
                f" `-- source_type: {best[0]}`"
            )
        if best:
            return read[best[0]]
        if errors:
            break
    if errors:
        raise UserError(
            f"--schema {path}, {in_line(errors[0])}: complete the file, or say whose it is in a"
            " first line such as `-- source_type: mysql`"
        )
    raise UserError(f"--schema {path}: no `create table` with columns can be read in it")


def _score(tables: list[SchemaTable]) -> tuple[int, int]:
    # How many of their types belong to this database, then how few do not.
    types = [split_type(column.type_text)[0] for table in tables for column in table.columns]
    found = [name for name in types if rule_of("", tables[0].family, name)]
    return len(found), -len(types)


def _tables(family: str, text: str, errors: list[str]) -> list[SchemaTable]:
    """Return the tables of statements; if they are from another database, none, and an error."""
    try:
        return tables_of_statements(family, text)
    except SqlglotError as error:
        errors.append(f"{str(error).splitlines()[0]}, read as {family}")
        return []
