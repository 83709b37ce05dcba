"""Reads tables from `create table` statements.

The statements are as databases write them (`show create table`, `pg_dump --schema-only`,
`dbms_metadata.get_ddl`), including storage clauses. Only columns, keys and comments are read.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from changelake.onboarding.dumps import statements_of
from changelake.onboarding.schema_tables import SchemaColumn, SchemaTable
from changelake.onboarding.sql_tokens import NoName, Tokens

# What ends a statement without a semicolon: sqlplus's `/`, or the start of another statement.
_ENDS = {";", "/", "alter", "create", "go"}
# The parameters of SQL Server's procedure that adds a property, in its order.
_PROPERTY = (
    "name", "value", "level0type", "level0name", "level1type", "level1name", "level2type",
    "level2name",
)  # fmt: skip
# In the place of a schema in `set search_path`.
_NO_SCHEMAS = {"", "pg_catalog", "$user", "default"}
# In the head of MySQL's and MariaDB's dumps.
_DUMPED = re.compile(r"^-- Host: .* Database: (\S+)$", re.M)


def tables_of_statements(family: str, text: str) -> list[SchemaTable]:
    """Return the tables that statements create, with what later ones add to them.

    Args:
        family: the family of databases that they are for.
        text: the statements.

    Raises:
        SqlglotError: they are for another family.
    """
    return _Statements(family, text).tables()


class _Statements(Tokens):
    """Reads tables from the tokens of statements.

    Args:
        family: of databases, whose statements they are.
        text: the statements.
    """

    def __init__(self, family: str, text: str) -> None:
        super().__init__(family, statements_of(family, text))
        dumped = _DUMPED.search(text) if family == "mysql" else None
        self._database = (dumped.group(1),) if dumped else ()
        self._schema = ()
        self._tables: dict[tuple[str, ...], SchemaTable] = {}

    def tables(self) -> list[SchemaTable]:
        """Return the tables, with what later statements add to them."""
        while self.at < len(self.tokens):
            try:
                if self.takes("create") and self.takes_table():
                    self._create()
                elif self.takes("alter", "table"):
                    self._alter()
                elif self.takes("comment", "on"):
                    self._comment()
                elif self.takes("sp_addextendedproperty"):
                    self._property()
                elif self.takes("use") or self.takes("\\", "connect"):
                    self._database, self._schema = (self.name(),), ()
                elif self._is_first() and self.takes("set", "search_path"):
                    self._search_path()
                else:
                    self.at += 1
            except NoName:
                # skip what cannot be read
                self.at += 1
        return [one for one in self._tables.values() if one.columns]

    def _is_first(self) -> bool:
        # In front of a statement. Functions set a path of their own.
        return not self.at or self.tokens[self.at - 1].word == ";"

    def _search_path(self) -> None:
        # gs_dump and older versions of pg_dump write it instead of the schema of each table
        if self.takes("=") or self.takes("to"):
            name = self.string() if self.is_string() else self.name()
            self._schema = () if name in _NO_SCHEMAS else (name,)

    def _in_schema(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return (*self._schema, *names) if len(names) == 1 else names

    def _table(self, names: tuple[str, ...]) -> SchemaTable:
        names = self._in_schema(names)
        # MySQL's databases correspond to schemas elsewhere
        if len(names) < (2 if self.family == "mysql" else 3):
            names = (*self._database, *names)
        return self._tables.setdefault(names, SchemaTable(self.family, names[:-1], names[-1]))

    def _known(self, names: tuple[str, ...]) -> SchemaTable | None:
        """Return a table of an earlier statement, by a possibly partial name."""
        lower = [name.lower() for name in self._in_schema(names)]
        found = [
            one
            for one in self._tables.values()
            if [part.lower() for part in (*one.qualifiers, one.name)][-len(lower) :] == lower
        ]
        return found[-1] if found else None

    # Statements.

    def _create(self) -> None:
        table = self._table(self.names())
        table.columns, table.key, table.comment = [], [], ""
        if self.word() != "(":
            return
        try:
            for _ in self.parenthesized():
                if self.is_constraint():
                    self._constraint(table)
                else:
                    self._column(table)
        except NoName:
            table.columns = []
            raise
        while self.at < len(self.tokens) and self.word() not in _ENDS:
            # the comments of partitions can follow the table's own
            if self.takes("comment"):
                if self.word() == "on":
                    self.at -= 1
                    return
                self.takes("=")
                table.comment = table.comment or self.string()
            elif self.takes("inherits") and self.word() == "(":
                inherited = [self._copied(self.names()) for _ in self.parenthesized()]
                table.columns = _merged([*inherited, table.columns])
            else:
                self.at += 1

    def _copied(self, names: tuple[str, ...]) -> list[SchemaColumn]:
        known = self._known(names)
        return [replace(column, comment="") for column in known.columns] if known else []

    def _like(self, table: SchemaTable) -> None:
        names = self.names()
        known = self._known(names)
        table.columns += self._copied(names)
        while self.at < len(self.tokens) and self.word() not in (",", ")"):
            if known and self.takes("including") and self.word() in ("all", "indexes"):
                table.key = [*known.key]
            self.at += 1

    def _constraint(self, table: SchemaTable) -> None:
        if self.takes("like"):
            self._like(table)
            return
        if self.takes("constraint") and self.word() != "primary":
            self.name()
        if self.takes("primary", "key"):
            self.to("(", ",", ";")
            if self.word() == "(":
                table.key = [self.name() for _ in self.parenthesized()]

    def _column(self, table: SchemaTable) -> None:
        name = self.name()
        column = SchemaColumn(name, self.type_text())
        table.columns.append(column)
        while self.at < len(self.tokens) and self.word() not in (",", ")"):
            # in MySQL `key` alone means the primary key, but not in `unique key`
            if self.takes("unique"):
                self.takes("key")
            elif self.takes("primary") or (self.family == "mysql" and self.takes("key")):
                table.key = [name]
            elif self.takes("comment"):
                column.comment = self.string() or column.comment
            elif self.word() == "(":
                self.at += 1
                self.to(")")
                self.takes(")")
            else:
                self.at += 1

    def _alter(self) -> None:
        self.takes("only")
        self.takes("if", "exists")
        table = self._known(self.names())
        while self.at < len(self.tokens) and self.word() not in _ENDS:
            if table and self.word() == "primary" and self.word(1) == "key":
                self._constraint(table)
            else:
                self.at += 1

    def _comment(self) -> None:
        of_column = self.takes("column")
        if not of_column and not self.takes("table"):
            return
        *names, last = self.names()
        table = self._known(tuple(names) if of_column else (*names, last))
        if table is None or not self.takes("is"):
            return
        if not of_column:
            table.comment = self.string()
        elif column := table.column(last):
            column.comment = self.string()

    def _property(self) -> None:
        """Read a property: a comment if it has the name that Microsoft's tools use for one."""
        said: dict[str, str] = dict.fromkeys(_PROPERTY, "")
        for place in _PROPERTY:
            name: str = place
            if self.takes("@"):
                name = self.name().lower()
                self.takes("=")
            if not self.takes("null"):
                said[name] = self.string() if self.is_string() else self.name()
            if not self.takes(","):
                break
        table = self._known((said["level0name"], said["level1name"]))
        if said["name"].lower() != "ms_description" or table is None:
            return
        # an index or a constraint can be named like a column
        of = said["level2type"].lower()
        if not of:
            table.comment = said["value"]
        elif of == "column" and (column := table.column(said["level2name"])):
            column.comment = said["value"]


def _merged(lists: Iterable[list[SchemaColumn]]) -> list[SchemaColumn]:
    # In the order of their first definitions; the last one counts.
    return list({one.name: one for columns in lists for one in columns}.values())
