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
_INDEXES = {"fulltext", "index", "key", "spatial", "vector"}
_COLUMNS = ("table_name", "column_name", "column_type")
_SAID = re.compile(r"^\s*--\s*source_type:\s*(\w+)", re.M)


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
    tables = _of_rows(path, text) if path.suffix == ".csv" else _of_text(path, text, families)
    for table in tables:
        for column in [one for one in table.key if not table.column(one)]:
            raise UserError(
                f"--schema {path}: {in_line(table.whole_name)} has no column {column!r} for its key"
            )
    return tables


# Rows of a catalog.


def _of_rows(path: Path, text: str) -> list[SchemaTable]:
    lines = csv.reader(text.splitlines(keepends=True))
    header = [name.strip().lower() for name in next(lines, "")]
    if missing := [name for name in _COLUMNS if name not in header]:
        raise UserError(
            f"--schema {path}: no column {missing[0]}: the first line names the columns"
            f" {', '.join(_COLUMNS)}, and may name source_type, database_name, schema_name,"
            " key_position, comment and table_comment"
        )
    tables: dict[tuple[str, ...], SchemaTable] = {}
    keys: dict[tuple[str, ...], dict[int, str]] = {}
    for number, values in enumerate(lines, start=2):
        if not values:
            continue
        if len(values) != len(header):
            raise UserError(
                f"--schema {path}, line {number}: {len(values)} fields, and the first line names"
                f" {len(header)}"
            )
        row = dict(zip(header, values, strict=True))
        family = _family(path, row.get("source_type", ""))
        qualifiers = (row.get("database_name"), row.get("schema_name"))
        place = (*(part for part in qualifiers if part), row["table_name"])
        table = tables.setdefault(place, SchemaTable(family, place[:-1], place[-1]))
        table.comment = row.get("table_comment", "")
        table.columns.append(
            SchemaColumn(row["column_name"], row["column_type"], row.get("comment", ""))
        )
        position = row.get("key_position", "").strip()
        if position:
            if not position.isdecimal():
                raise UserError(
                    f"--schema {path}, line {number}: key_position {position!r} is no number"
                )
            keys.setdefault(place, {})[int(position)] = row["column_name"]
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
    if said := _SAID.search(text):
        possible = {_family(path, said.group(1))}
    else:
        possible = set(DIALECTS) - ({"gaussdb"} - families)
    read = {family: _tables(family, text) for family in DIALECTS if family in possible}
    known = {family: _known(tables) for family, tables in read.items() if tables}
    if not known:
        raise UserError(f"--schema {path}: no `create table` with columns in it")
    best = [family for family, share in known.items() if share == max(known.values())]
    if len(best) > 1:
        best = [family for family in best if family in families] or best
    if len(best) > 1:
        raise UserError(
            f"--schema {path}: could be of {' or '.join(best)}: say which in a line"
            f" `-- source_type: {best[0]}`"
        )
    return read[best[0]]


def _known(tables: list[SchemaTable]) -> float:
    # How much of them is known as this database's.
    types = [split_type(column.type_text)[0] for table in tables for column in table.columns]
    found = [name for name in types if rule_of("", tables[0].family, name)]
    return len(found) / max(len(types), 1)


def _tables(family: str, text: str) -> list[SchemaTable]:
    """Return the tables of statements; none if they are of another database."""
    try:
        return _Statements(family, text).tables()
    except (SqlglotError, _AnotherDatabase):
        return []


class _AnotherDatabase(Exception):
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
        self._database: tuple[str, ...] = ()
        self._tables: dict[tuple[str, ...], SchemaTable] = {}

    def tables(self) -> list[SchemaTable]:
        """Return the tables, with what later statements say of them."""
        while self._at < len(self._tokens):
            if self._takes("create") and self._takes_table():
                self._create()
            elif self._takes("alter", "table"):
                self._alter()
            elif self._takes("comment", "on"):
                self._comment()
            elif self._takes("use") and self._family == "mysql":
                self._database = (self._name(),)
            else:
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
            raise _AnotherDatabase
        self._at += 1
        if is_quoted:
            return token.text
        # what is not in quotes is folded, by standard to capitals
        folded = {"postgresql": str.lower, "gaussdb": str.lower, "oracle": str.upper}
        return folded.get(self._family, str)(token.text)

    def _names(self) -> tuple[str, ...]:
        names = [self._name()]
        while self._takes("."):
            names.append(self._name())
        return tuple(names)

    def _table(self, names: tuple[str, ...]) -> SchemaTable:
        names = names if len(names) > 1 else (*self._database, *names)
        return self._tables.setdefault(names, SchemaTable(self._family, names[:-1], names[-1]))

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
        table.columns, table.key = [], []
        if self._word() != "(":
            return
        for _ in self._parenthesized():
            if self._is_constraint():
                self._constraint(table)
            else:
                self._column(table)
        while self._at < len(self._tokens) and self._word() not in (";", "create", "go"):
            if self._takes("comment"):
                self._takes("=")
                table.comment = self._string() or table.comment
            else:
                self._at += 1

    def _is_constraint(self) -> bool:
        word = self._word()
        if word in _CONSTRAINTS:
            return _CONSTRAINTS[word] is None or self._word(1) in (_CONSTRAINTS[word] or ())
        return self._family == "mysql" and word in _INDEXES

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
            if self._takes("primary"):
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
        names = self._names()
        if names not in self._tables:
            return
        while self._at < len(self._tokens) and self._word() not in (";", "go"):
            if self._word() == "primary" and self._word(1) == "key":
                self._constraint(self._tables[names])
            else:
                self._at += 1

    def _comment(self) -> None:
        of_column = self._takes("column")
        if not of_column and not self._takes("table"):
            return
        *names, last = self._names()
        place = tuple(names) if of_column else (*names, last)
        if place not in self._tables or not self._takes("is"):
            return
        table = self._tables[place]
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
