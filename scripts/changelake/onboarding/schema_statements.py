"""Reads tables from `create table` statements.

The statements are as databases write them (`show create table`, `pg_dump --schema-only`,
`dbms_metadata.get_ddl`), with all that they say of storage. sqlglot's parsers stop at that, so only
its tokenizers are used, and no more of a statement is read than its columns and its key.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot.tokenizer_core import TokenType

from changelake.onboarding.schema_tables import SchemaColumn, SchemaTable
from changelake.onboarding.sql_families import DIALECTS, folded

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
_STRINGS = {TokenType.NATIONAL_STRING: TokenType.STRING}
# What ends a statement that nothing else ends: sqlplus's `/`, another statement's beginning.
_ENDS = {";", "/", "alter", "create", "go"}
# The parameters of SQL Server's procedure that adds a property, in its order.
_PROPERTY = (
    "name", "value", "level0type", "level0name", "level1type", "level1name", "level2type",
    "level2name",
)  # fmt: skip
# In the head of MySQL's and MariaDB's dumps.
_DUMPED = re.compile(r"^-- Host: .* Database: (\S+)$", re.M)


def tables_of_statements(family: str, text: str) -> list[SchemaTable]:
    """Return the tables that statements create, with what later ones say of them.

    Args:
        family: of databases, whose statements they are.
        text: the statements.

    Raises:
        SqlglotError: they are of another family.
    """
    return _Statements(family, text).tables()


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
        # N'…' is a string too
        kind = _STRINGS.get(one.token_type, one.token_type)
        if kind in (TokenType.IDENTIFIER, TokenType.STRING):
            yield _Token(one.text, kind, one.start, one.end + 1)
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
                elif self._takes("sp_addextendedproperty"):
                    self._property()
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

    def _property(self) -> None:
        """Read a property: a comment where it has the name that Microsoft's tools give one."""
        said: dict[str, str] = dict.fromkeys(_PROPERTY, "")
        for place in _PROPERTY:
            name: str = place
            if self._takes("@"):
                name = self._name().lower()
                self._takes("=")
            if not self._takes("null"):
                said[name] = self._string() if self._is_string() else self._name()
            if not self._takes(","):
                break
        table = self._known((said["level0name"], said["level1name"]))
        if said["name"].lower() != "ms_description" or table is None:
            return
        # an index or a constraint can have a column's name
        of = said["level2type"].lower()
        if not of:
            table.comment = said["value"]
        elif of == "column" and (column := table.column(said["level2name"])):
            column.comment = said["value"]

    def _string(self) -> str:
        if not self._is_string():
            return ""
        self._at += 1
        return self._tokens[self._at - 1].text

    def _is_string(self) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].kind == TokenType.STRING
