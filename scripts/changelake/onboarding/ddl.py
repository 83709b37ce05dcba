"""What a source's DDL says of its columns."""

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlglot.errors import SqlglotError

from changelake.onboarding.sql_families import DIALECTS
from changelake.onboarding.sql_tokens import NoName, Tokens

# The first words of the clauses of `alter table`.
_VERBS = ("add", "alter", "change", "drop", "modify", "rename")
# What can be added, dropped or renamed besides columns, constraints and indexes.
_OTHERS = ("as", "check", "partition", "to")
# What Oracle can modify besides columns.
_MODIFIED = (
    "constraint", "default", "lob", "nested", "opaque", "partition", "primary", "subpartition",
    "unique", "varray",
)  # fmt: skip
# Comments that MySQL and MariaDB execute: `/*!50600 … */`, `/*M!100100 … */`; not inside quotes.
_EXECUTED = re.compile(
    r"""('(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`)|/\*M?!\d*(.*?)\*/""", re.DOTALL
)


class Clause(NamedTuple):
    """What a clause of `alter table` does to a column.

    Attributes:
        old: its name before; empty if it is added.
        new: its name after; empty if it is dropped.
        type: the type that it gets; empty if the clause has none.
    """

    old: str
    new: str
    type: str


def renamed_columns(
    statements: Iterable[str], family: str, columns: Collection[str] = ()
) -> dict[str, list[str]]:
    """Return the columns that a table's statements rename: the later names by the first one.

    Statements that cannot be read are skipped.

    Args:
        statements: of one table, in their order.
        family: of databases, whose SQL it is.
        columns: as the rows name them: a statement may use any letter case.

    Returns:
        The later names of each column, the newest first: rows have come under each of them.

    >>> renamed_columns(["alter table t rename column a to b, change b `C` int"], "mysql")
    {'a': ['b'], 'b': ['C']}
    >>> renamed_columns(["alter table t rename column a to b", "alter table t drop key b"], "mysql")
    {'a': ['b']}
    >>> chain = ["alter table t rename a to b", "alter table t rename b to c"]
    >>> renamed_columns([*chain, chain[1]], "postgresql"), renamed_columns(2 * chain, "postgresql")
    ({'a': ['c', 'b']}, {'a': ['c', 'b']})
    >>> renamed_columns(["alter table t rename column a to b)", "alter table t ) x"], "mysql")
    {}
    >>> renamed_columns(["alter table t /*!50600 change a b int comment '/*! x */' */"], "mysql")
    {'a': ['b']}
    >>> renamed_columns(['alter table "t" change column if exists "a" "b" int'], "mysql")
    {'a': ['b']}
    """
    names: dict[str, list[str]] = {}
    for clauses in (_clauses(one, family, columns) for one in statements):
        # the clauses of a statement use the names from before it
        now = {later[0]: first for first, later in names.items()}
        moved = [
            (now.get(one.old, one.old), one)
            for one in clauses
            if one.old not in ("", one.new) and not _is_so_already(one, now, names)
        ]
        gone = {first for first, _ in moved}
        # no other column keeps a name that is given to one, or dropped
        given = {one.new for _, one in moved}
        kept = {
            first: [name for name in later if name not in given]
            for first, later in names.items()
            if first not in gone and later[0] not in given
        }
        for first, one in moved:
            if one.new:
                later = [name for name in names.get(first, []) if name != one.new]
                kept[first] = [one.new, *later]
        names = kept
    return {first: later for first, later in names.items() if later != [first]}


def _is_so_already(clause: Clause, now: dict[str, str], names: dict[str, list[str]]) -> bool:
    # The statement was sent again: no database gives a column a name that another one has.
    column = now.get(clause.new)
    if clause.old in now or column is None:
        return False
    return clause.old in (column, *names[column])


def columns_of_several_names(
    shards: Sequence[Sequence[str]], family: str, columns: Collection[str]
) -> dict[str, list[str]]:
    """Return the columns that DDL has renamed: by first name the later ones, the newest first.

    Names that another column has been given since are left out.

    Args:
        shards: the statements of each table that is declared as one, in their order.
        family: of databases, whose SQL it is.
        columns: that the rows show.

    >>> statement = "alter table t change A b int, rename column c to d, add c int"
    >>> columns_of_several_names([[statement]], "mysql", ["a", "b", "c", "d"])
    {'a': ['b']}
    >>> chain = ["alter table t change V W int", "alter table t change w x int"]
    >>> columns_of_several_names([chain], "mysql", ["v", "x"])
    {'v': ['x', 'w']}
    >>> columns_of_several_names([["alter table t change V w int, add v int"]], "mysql", ["v", "w"])
    {}
    >>> shards = [["alter table t rename a to b"], ["alter table t rename b to c"]]
    >>> columns_of_several_names(shards, "postgresql", ["a", "b", "c"])
    {'a': ['c', 'b']}
    """
    reused: set[str] = set()
    for statements in shards:
        reused |= reused_names(((one, True) for one in statements), family, columns)
    chains: list[list[str]] = []
    for statements in shards:
        for first, later in renamed_columns(statements, family, columns).items():
            names = [one for one in (*later, first) if one not in reused]
            if len(set(names)) > 1:
                _add_chain(chains, names)
    return {names[-1]: names[:-1] for names in chains}


def _add_chain(chains: list[list[str]], names: list[str]) -> None:
    # Merge the names of a column, the newest first, into the chain that other shards have of it.
    known = next((one for one in chains if not set(one).isdisjoint(names)), None)
    if known is None:
        chains.append(names)
        return
    shared = next(place for place, one in enumerate(names) if one in known)
    newer, older = names[:shared], [one for one in names[shared:] if one not in known]
    place = known.index(names[shared])
    known[:] = [*known[:place], *newer, *known[place:], *older]


def reused_names(
    statements: Iterable[tuple[str, bool]], family: str, columns: Collection[str] = ()
) -> set[str]:
    """Return the names that were given to a column after another column had them.

    Statements that cannot be read are skipped.

    Args:
        statements: of one table, in their order, each with whether its names are wanted.
        family: of databases, whose SQL it is.
        columns: as the rows name them: a statement may use any letter case.

    >>> swapped = "alter table t rename a to b, rename b to a"
    >>> sorted(reused_names([(swapped, True)], "mysql"))
    ['a', 'b']
    >>> first, back = "alter table t change a b int", "alter table t change b a int"
    >>> reused_names([(first, False), (back, True)], "mysql")
    set()
    >>> reused_names([("alter table t drop a", False), (back, True)], "mysql")
    {'a'}
    """
    # by name, the column that has it or had it last
    owners: dict[str, object] = {}
    found: set[str] = set()
    for statement, is_asked in statements:
        given: dict[str, object] = {}
        for one in _clauses(statement, family, columns):
            column = owners.setdefault(one.old, object()) if one.old else object()
            if one.new:
                given[one.new] = column
        taken = {name for name, one in given.items() if owners.get(name, one) is not one}
        found |= taken if is_asked else set()
        owners |= given
    return found


def dropped_columns(
    statements: Iterable[str], family: str, columns: Collection[str] = ()
) -> set[str]:
    """Return the columns that statements drop, and do not add again.

    Statements that cannot be read are skipped.

    Args:
        statements: of one table, in their order.
        family: of databases, whose SQL it is.
        columns: as the rows name them: a statement may use any letter case.

    >>> statements = ["alter table t drop a, drop b, drop key c", "alter table t add b int"]
    >>> dropped_columns(statements, "mysql")
    {'a'}
    """
    dropped: set[str] = set()
    clauses = (one for statement in statements for one in _clauses(statement, family, columns))
    for one in clauses:
        if one.new:
            dropped.discard(one.new)
        else:
            dropped.add(one.old)
    return dropped


def altered_types(
    statements: Iterable[str], family: str, columns: Collection[str] = ()
) -> dict[str, str]:
    """Return the columns to which statements give a type, with the newest type of each.

    Statements that cannot be read are skipped.

    Args:
        statements: of one table, in their order.
        family: of databases, whose SQL it is.
        columns: as the rows name them: a statement may use any letter case.

    >>> altered_types(["alter table t modify a decimal(12, 4), add b int"], "mysql")
    {'a': 'decimal(12, 4)'}
    >>> altered_types(['alter table t alter column a type varchar(9)'], "postgresql")
    {'a': 'varchar(9)'}
    >>> altered_types(["alter table t alter column a add masked with (…)"], "sqlserver")
    {}
    """
    clauses = (one for statement in statements for one in _clauses(statement, family, columns))
    return {one.new: one.type for one in clauses if one.old and one.type}


def _clauses(statement: str, family: str, columns: Collection[str]) -> list[Clause]:
    # What a statement does to columns, named as the rows name them.
    family = family if family in DIALECTS else "mysql"

    def spelled(name: str) -> str:
        alike = {one for one in columns if one.lower() == name.lower()}
        if name in alike or not columns:
            return name
        return min(alike) if len(alike) == 1 else name.lower() if family == "mysql" else name

    return [
        one._replace(old=spelled(one.old), new=spelled(one.new)) for one in _read(statement, family)
    ]


# Cached, since each statement is read for renamed, reused, dropped and altered columns.
@functools.lru_cache(maxsize=1024)
def _read(statement: str, family: str) -> tuple[Clause, ...]:
    # What a statement does to columns, as it names them; nothing if it cannot be read.
    if family == "mysql":
        statement = _EXECUTED.sub(lambda found: found[1] or f" {found[2]} ", statement)
    try:
        return tuple(_Alter(family, statement).clauses())
    except (NoName, SqlglotError):
        return ()


class _Alter(Tokens):
    """Reads the columns of an `alter table`."""

    def clauses(self) -> Iterator[Clause]:
        """Return what its clauses do to columns.

        Raises:
            NoName: it cannot be read.
        """
        if not self.takes("alter") or not self.takes_table():
            return
        self.takes("if", "exists")
        self.takes("only")
        self.names()
        if self.takes("wait"):
            self.at += 1
        self.takes("nowait")
        while self.at < len(self.tokens) and self.word() != ";":
            begin = self.at
            yield from self._clause()
            # Oracle has no commas between clauses
            if self.family != "oracle" or self.word() not in _VERBS:
                self.to(",", ";")
                self.takes(",")
            if self.at == begin:
                # a closing parenthesis without an opening one
                raise NoName

    def _clause(self) -> Iterator[Clause]:
        if self.takes("rename"):
            if not self._is_another():
                yield from self._renamed()
        elif self.takes("change"):
            self._takes_column()
            old, new = self.name(), self.name()
            yield Clause(old, new, self.type_text())
        elif self.takes("modify"):
            if self.word() not in _MODIFIED:
                self._takes_column()
                yield from (Clause(one, one, self.type_text()) for one in self._each())
        elif self.takes("alter"):
            self._takes_column()
            name = self.name()
            self.takes("set", "data")
            # SQL Server adds and drops properties of a column this way
            if self.takes("type") or (
                self.family == "sqlserver" and self.word() not in ("add", "drop")
            ):
                yield Clause(name, name, self.type_text())
        elif self.takes("drop"):
            if not self._is_another():
                self._takes_column()
                yield from (Clause(one, "", "") for one in self._each())
        elif self.takes("add") and not self._is_another():
            self._takes_column()
            yield from (Clause("", one, self.type_text()) for one in self._each())

    def _renamed(self) -> Iterator[Clause]:
        self._takes_column()
        old = self.name()
        # without `to`, the table is renamed
        if self.takes("to"):
            yield Clause(old, self.name(), "")

    def _is_another(self) -> bool:
        word, following = self.word(), self.word(1)
        is_versioning = (word, following) == ("system", "versioning")
        return word in _OTHERS or is_versioning or self.is_constraint()

    def _takes_column(self) -> None:
        self.takes("column")
        self.takes("if", "not", "exists")
        self.takes("if", "exists")

    def _each(self) -> Iterator[str]:
        """Yield each name, standing after it. Several are in parentheses, except in SQL Server."""
        if self.word() == "(":
            for _ in self.parenthesized():
                if not self.is_constraint():
                    yield self.name()
            return
        yield self.name()
        while self.family == "sqlserver" and self.word() == "," and self.word(1) not in _VERBS:
            self.at += 1
            if not self.is_constraint():
                yield self.name()
            self.to(",", ";")
