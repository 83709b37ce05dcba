"""Reads what a database says of its tables: `create table` statements, or rows of its catalog.

The statements are as databases write them (`show create table`, `pg_dump --schema-only`,
`dbms_metadata.get_ddl`), with all that they say of storage. sqlglot's parsers stop at that, so only
its tokenizers are used, and no more of a statement is read than its columns and its key.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.source_types import FAMILIES, rule_of, split_type

# By family of databases, what sqlglot calls its SQL.
DIALECTS = {
    "mysql": "mysql",
    "postgresql": "postgres",
    "oracle": "oracle",
    "sqlserver": "tsql",
    "gaussdb": "postgres",
}
# What can stand behind a column's type; none of these words is a part of one.
_BEHIND_A_TYPE = {
    "as", "auto_increment", "autoincrement", "charset", "check", "collate", "column_format",
    "comment", "compressed", "constraint", "default", "disable", "enable", "encode", "encrypt",
    "generated", "identity", "invisible", "key", "masked", "not", "null", "on", "persistent",
    "primary", "references", "rowguidcol", "sort", "sparse", "srid", "storage", "stored", "unique",
    "virtual", "visible", "zerofill",
}  # fmt: skip
# What an element between a table's parentheses begins with that is no column, and what follows.
_CONSTRAINTS = {
    "constraint": None, "foreign": {"key"}, "primary": {"key"}, "unique": None, "check": {"("},
    "exclude": {"using", "("}, "like": None, "period": {"for"}, "supplemental": {"log"},
}  # fmt: skip
# Likewise, by the family of databases that has them.
_INDEXES = {
    "mysql": {"fulltext", "index", "key", "spatial", "vector"},
    "sqlserver": {"index"},
}
# What ends a statement that nothing else ends: sqlplus's `/`, another statement's beginning.
_ENDS = {";", "/", "alter", "create", "go"}
_COLUMNS = ("source_type", "table_name", "column_name", "column_type")
# What stands for no value in the CSV that clients write.
_NULLS = {"", "NULL", "\\N"}
_DATABASE_TYPE = re.compile(r"^\s*--\s*source_type:\s*(\w+)", re.M)
# In the head of MySQL's and MariaDB's dumps.
_DUMPED = re.compile(r"^-- Host: .* Database: (\S+)$", re.M)


@dataclass
class SchemaColumn:
    """A column as the database itself declares it, with its type in full."""

    name: str
    type_text: str
    comment: str = ""


@dataclass
class SchemaTable:
    """A table as the database itself declares it.

    Attributes:
        family: the database's, whose types the columns have.
        qualifiers: what stands before its name: a database, a schema, both or nothing.
        key: the names of its primary key's columns; empty where it has none.
    """

    family: str
    qualifiers: tuple[str, ...]
    name: str
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    key: list[str] = field(default_factory=list[str])
    comment: str = ""

    @property
    def whole_name(self) -> str:
        """Return its name with what stands before it."""
        return ".".join([*self.qualifiers, self.name])

    @property
    def key_columns(self) -> list[SchemaColumn]:
        """Return the columns of its key."""
        return [column for name in self.key if (column := self.column(name))]

    def column(self, name: str) -> SchemaColumn | None:
        """Return the column of this name; of another case where that tells it too."""
        return _one(self.columns, name)


def _one(columns: list[SchemaColumn], name: str) -> SchemaColumn | None:
    exact = [one for one in columns if one.name == name]
    found = exact or [one for one in columns if one.name.lower() == name.lower()]
    return found[0] if len(found) == 1 else None


def folded(name: str, family: str) -> str:
    """Return a name as the database keeps it that stands in a statement without quotes.

    Args:
        name: the name.
        family: of databases.
    """
    cases = {"postgresql": str.lower, "gaussdb": str.lower, "oracle": str.upper}
    return cases.get(family, str)(name)


def read_schema(path: Path, families: set[str]) -> list[SchemaTable]:
    """Read the tables of a schema file.

    Args:
        path: a CSV where its suffix is .csv, else statements.
        families: the families of databases that the events are of, which decide where the
            statements could be of several.

    Raises:
        UserError: it cannot be read, has no table, or could be of several databases.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"--schema {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"--schema {path}: not UTF-8 (byte {error.start}): save it so") from None
    is_csv = path.suffix.lower() == ".csv"
    tables = _of_rows(path, text) if is_csv else _of_text(path, text, families)
    for table in tables:
        for column in [one for one in table.key if not table.column(one)]:
            raise UserError(
                f"--schema {path}: {in_line(table.whole_name)} has no column {column!r} for its key"
            )
    return tables


# Rows of a catalog.


def _of_rows(path: Path, text: str) -> list[SchemaTable]:
    first, *_ = text.splitlines() or [""]
    # clients write tabs and semicolons too
    delimiter = max(",\t;", key=first.count)
    lines = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    header = [name.strip().lower() for name in next(lines, "")]
    if missing := [name for name in _COLUMNS if name not in header]:
        raise UserError(
            f"--schema {path}: no column {missing[0]}: the first line names the columns"
            f" {', '.join(_COLUMNS)}, and may name database_name, schema_name, key_position,"
            " comment and table_comment"
        )
    tables: dict[tuple[str, ...], SchemaTable] = {}
    keys: dict[tuple[str, ...], dict[int, str]] = {}
    while True:
        try:
            values = next(lines, None)
        except csv.Error as error:
            raise UserError(f"--schema {path}, line {lines.line_num}: {error}") from None
        if values is None:
            break
        if not values:
            continue
        number = lines.line_num
        if len(values) != len(header):
            raise UserError(
                f"--schema {path}, line {number}: {len(values)} fields, and the first line names"
                f" {len(header)}"
            )
        row = {
            name: "" if value in _NULLS else value
            for name, value in zip(header, values, strict=True)
        }
        family = _family(path, row.get("source_type", ""))
        qualifiers = (row.get("database_name"), row.get("schema_name"))
        place = (*(part for part in qualifiers if part), row["table_name"])
        table = tables.setdefault(place, SchemaTable(family, place[:-1], place[-1]))
        table.comment = row.get("table_comment", "")
        if any(one.name == row["column_name"] for one in table.columns):
            raise UserError(
                f"--schema {path}, line {number}: {in_line(table.whole_name)} has"
                f" {row['column_name']!r} twice: tables of one name need their database_name"
            )
        table.columns.append(
            SchemaColumn(row["column_name"], row["column_type"], row.get("comment", ""))
        )
        position = row.get("key_position", "").strip()
        if position:
            key = keys.setdefault(place, {})
            at = int(position[:9]) if position.isdecimal() else 0
            if at < 1 or at in key:
                raise UserError(
                    f"--schema {path}, line {number}: key_position {position[:20]!r} is no number"
                    " from 1, or stands there twice"
                )
            key[at] = row["column_name"]
    if not tables:
        raise UserError(f"--schema {path}: no row below its first line")
    for place, key in keys.items():
        tables[place].key = [key[position] for position in sorted(key)]
    return list(tables.values())


def _family(path: Path, source_type: str) -> str:
    family = FAMILIES.get(source_type.lower(), source_type.lower())
    if family not in DIALECTS:
        raise UserError(
            f"--schema {path}: source_type {source_type!r} is none of {', '.join(DIALECTS)}"
        )
    return family


# Statements.


def _of_text(path: Path, text: str, families: set[str]) -> list[SchemaTable]:
    head = re.split(r"\bcreate\b", text, maxsplit=1, flags=re.IGNORECASE)[0]
    if named := _DATABASE_TYPE.search(head):
        tries = [{_family(path, named.group(1))}]
    else:
        # what the events are of, if it can be that
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
    reason = f" ({in_line(errors[0])})" if errors else ""
    raise UserError(f"--schema {path}: no `create table` with columns can be read in it{reason}")


def _score(tables: list[SchemaTable]) -> tuple[int, int]:
    # How many of their types are known as this database's, and how few are not.
    types = [split_type(column.type_text)[0] for table in tables for column in table.columns]
    found = [name for name in types if rule_of("", tables[0].family, name)]
    return len(found), -len(types)


def _tables(family: str, text: str, errors: list[str]) -> list[SchemaTable]:
    """Return the tables of statements; none, and why, if they are of another database."""
    try:
        return _Statements(family, text).tables()
    except SqlglotError as error:
        errors.append(str(error).splitlines()[0])
        return []


class _NoName(Exception):
    """A name is no name in this family's SQL."""


@dataclass(frozen=True)
class _Token:
    """A word, a sign, a quoted name or a string, and where it stands.

    Attributes:
        text: what is in the quotes, where there are any.
        kind: `IDENTIFIER` and `STRING` are in quotes.
    """

    text: str
    kind: TokenType
    start: int
    end: int

    @property
    def word(self) -> str:
        """Return it in lower case; what is quoted is no word."""
        return "" if self.kind in (TokenType.IDENTIFIER, TokenType.STRING) else self.text.lower()


def _tokens(family: str, text: str) -> Iterator[_Token]:
    for one in sqlglot.tokenize(text, read=DIALECTS[family]):
        if one.token_type in (TokenType.IDENTIFIER, TokenType.STRING):
            yield _Token(one.text, one.token_type, one.start, one.end + 1)
            continue
        # sqlglot has words that belong together, as `primary key`, in one
        for part in re.finditer(r"\S+", text[one.start : one.end + 1]):
            start, end = (one.start + place for place in part.span())
            yield _Token(part.group(), one.token_type, start, end)


class _Statements:
    """Walks through the tokens of statements.

    Args:
        family: of databases, whose statements they are.
        text: the statements.
    """

    def __init__(self, family: str, text: str) -> None:
        self._family, self._text = family, text
        self._tokens = list(_tokens(family, text))
        self._at = 0
        dumped = _DUMPED.search(text) if family == "mysql" else None
        self._database = (dumped.group(1),) if dumped else ()
        self._tables: dict[tuple[str, ...], SchemaTable] = {}

    def tables(self) -> list[SchemaTable]:
        """Return the tables, with what later statements say of them."""
        while self._at < len(self._tokens):
            try:
                if self._takes("create") and self._takes_table():
                    self._create()
                elif self._takes("alter", "table"):
                    self._alter()
                elif self._takes("comment", "on"):
                    self._comment()
                elif self._takes("use") or self._takes("\\", "connect"):
                    self._database = (self._name(),)
                else:
                    self._at += 1
            except _NoName:
                # a statement that is none leaves the others as they are
                self._at += 1
        return [one for one in self._tables.values() if one.columns]

    # Tokens.

    def _word(self, ahead: int = 0) -> str:
        """Return a token in lower case; empty where it is quoted, and behind the last one."""
        place = self._at + ahead
        return self._tokens[place].word if place < len(self._tokens) else ""

    def _takes(self, *words: str) -> bool:
        """Go past these words, if they are what comes next."""
        if any(self._word(ahead) != word for ahead, word in enumerate(words)):
            return False
        self._at += len(words)
        return True

    def _takes_table(self) -> bool:
        # `or replace`, `global temporary`, `unlogged` and the like
        for ahead in range(4):
            if self._word(ahead) == "table":
                self._at += ahead + 1
                self._takes("if", "not", "exists")
                return True
            if not self._word(ahead).isidentifier():
                break
        return False

    def _name(self) -> str:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        is_quoted = token is not None and token.kind == TokenType.IDENTIFIER
        if token is None or not (is_quoted or re.match(r"\w|[@#$]", token.word)):
            raise _NoName
        self._at += 1
        if is_quoted:
            return token.text
        return folded(token.text, self._family)

    def _names(self) -> tuple[str, ...]:
        names = [self._name()]
        while self._takes("."):
            names.append(self._name())
        return tuple(names)

    def _table(self, names: tuple[str, ...]) -> SchemaTable:
        # MySQL's databases are what others call schemas
        if len(names) < (2 if self._family == "mysql" else 3):
            names = (*self._database, *names)
        return self._tables.setdefault(names, SchemaTable(self._family, names[:-1], names[-1]))

    def _known(self, names: tuple[str, ...]) -> SchemaTable | None:
        """Return a table of before, by as much of its name as is said."""
        lower = [name.lower() for name in names]
        found = [
            one
            for one in self._tables.values()
            if [part.lower() for part in (*one.qualifiers, one.name)][-len(lower) :] == lower
        ]
        return found[-1] if found else None

    def _parenthesized(self) -> Iterator[None]:
        """Stand at each element between the parentheses that begin here; end behind them."""
        self._at += 1
        while self._at < len(self._tokens) and not self._takes(")"):
            yield
            self._to(",", ")")
            self._takes(",")

    def _to(self, *words: str) -> None:
        """Go on to one of these words that stands in no further parentheses, or to the end."""
        depth = 0
        while self._at < len(self._tokens) and (depth or self._word() not in words):
            depth += {"(": 1, ")": -1}.get(self._word(), 0)
            if depth < 0:
                return
            self._at += 1

    # Statements.

    def _create(self) -> None:
        table = self._table(self._names())
        table.columns, table.key, table.comment = [], [], ""
        if self._word() != "(":
            return
        try:
            for _ in self._parenthesized():
                if self._is_constraint():
                    self._constraint(table)
                else:
                    self._column(table)
        except _NoName:
            table.columns = []
            raise
        while self._at < len(self._tokens) and self._word() not in _ENDS:
            # behind the table's own there can be those of its partitions
            if self._takes("comment"):
                if self._word() == "on":
                    self._at -= 1
                    return
                self._takes("=")
                table.comment = table.comment or self._string()
            else:
                self._at += 1

    def _is_constraint(self) -> bool:
        word = self._word()
        if word in _CONSTRAINTS:
            return _CONSTRAINTS[word] is None or self._word(1) in (_CONSTRAINTS[word] or ())
        return word in _INDEXES.get(self._family, ())

    def _constraint(self, table: SchemaTable) -> None:
        if self._takes("constraint") and self._word() != "primary":
            self._name()
        if self._takes("primary", "key"):
            self._to("(", ",")
            if self._word() == "(":
                table.key = [self._name() for _ in self._parenthesized()]

    def _column(self, table: SchemaTable) -> None:
        name = self._name()
        parts: list[str] = []
        end = self._tokens[self._at - 1].end
        depth = 0
        while self._at < len(self._tokens):
            word = self._word()
            if not depth and (word in (",", ")") or self._is_behind_type(bool(parts))):
                break
            depth += {"(": 1, ")": -1}.get(word, 0)
            token = self._tokens[self._at]
            is_quoted = token.kind == TokenType.IDENTIFIER
            parts.append(" " if parts and token.start > end else "")
            parts.append(token.text if is_quoted else self._text[token.start : token.end])
            end = token.end
            self._at += 1
        column = SchemaColumn(name, "".join(parts))
        table.columns.append(column)
        while self._at < len(self._tokens) and self._word() not in (",", ")"):
            # MySQL's `key` alone is the primary one, and `unique key` is not
            if self._takes("unique"):
                self._takes("key")
            elif self._takes("primary") or (self._family == "mysql" and self._takes("key")):
                table.key = [name]
            elif self._takes("comment"):
                column.comment = self._string() or column.comment
            elif self._word() == "(":
                self._at += 1
                self._to(")")
                self._takes(")")
            else:
                self._at += 1

    def _is_behind_type(self, has_type: bool) -> bool:
        word, following = self._word(), self._word(1)
        if word in _BEHIND_A_TYPE:
            return True
        # `character varying` and `with time zone` are parts of types
        return has_type and (
            (word == "character" and following == "set")
            or (word in ("with", "without") and following not in ("time", "local"))
        )

    def _alter(self) -> None:
        self._takes("only")
        self._takes("if", "exists")
        table = self._known(self._names())
        while self._at < len(self._tokens) and self._word() not in _ENDS:
            if table and self._word() == "primary" and self._word(1) == "key":
                self._constraint(table)
            else:
                self._at += 1

    def _comment(self) -> None:
        of_column = self._takes("column")
        if not of_column and not self._takes("table"):
            return
        *names, last = self._names()
        table = self._known(tuple(names) if of_column else (*names, last))
        if table is None or not self._takes("is"):
            return
        if not of_column:
            table.comment = self._string()
        elif column := table.column(last):
            column.comment = self._string()

    def _string(self) -> str:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token is None or token.kind != TokenType.STRING:
            return ""
        self._at += 1
        return token.text
