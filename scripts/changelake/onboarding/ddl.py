"""What a source's DDL says of its columns."""

import functools
import itertools
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


class TableDdl:
    """What the statements that have altered a table say of its columns.

    Statements that cannot be read are skipped.

    Args:
        statements: of one table, in their order.
        family: of databases, whose SQL it is.
        columns: as the rows name them: a statement may use any letter case.
    """

    def __init__(
        self, statements: Iterable[str], family: str, columns: Collection[str] = ()
    ) -> None:
        self._family, self._columns = family if family in DIALECTS else "mysql", columns
        self._clauses = [
            [
                one._replace(old=self._spelled(one.old), new=self._spelled(one.new))
                for one in _read(statement, self._family)
            ]
            for statement in statements
        ]

    def _spelled(self, name: str) -> str:
        # as the rows name it
        alike = {one for one in self._columns if one.lower() == name.lower()}
        if name in alike or not self._columns:
            return name
        if len(alike) == 1:
            return min(alike)
        return name.lower() if self._family == "mysql" else name

    @property
    def renamed(self) -> dict[str, list[str]]:
        """Return the renamed columns: by first name the later ones, the newest first.

        Rows have come under each of these names, also if the column was dropped later.

        >>> TableDdl(["alter table t rename column a to b, change b `C` int"], "mysql").renamed
        {'a': ['b'], 'b': ['C']}
        >>> dropped_key = ["alter table t rename column a to b", "alter table t drop key b"]
        >>> TableDdl(dropped_key, "mysql").renamed
        {'a': ['b']}
        >>> chain = ["alter table t rename a to b", "alter table t rename b to c"]
        >>> TableDdl([*chain, chain[1]], "postgresql").renamed
        {'a': ['c', 'b']}
        >>> TableDdl(2 * chain, "postgresql").renamed
        {'a': ['c', 'b']}
        >>> then_dropped = ["alter table t rename a to b", "alter table t drop b, rename c to d"]
        >>> TableDdl(2 * then_dropped, "mysql").renamed
        {'a': ['b'], 'c': ['d']}
        >>> unread = ["alter table t rename column a to b)", "alter table t ) x"]
        >>> TableDdl(unread, "mysql").renamed
        {}
        >>> executed = "alter table t /*!50600 change a b int comment '/*! x */' */"
        >>> TableDdl([executed], "mysql").renamed
        {'a': ['b']}
        >>> quoted = 'alter table "t" change column if exists "a" "b" int'
        >>> TableDdl([quoted], "mysql").renamed
        {'a': ['b']}
        """
        names: dict[str, list[str]] = {}
        of_dropped: dict[str, list[str]] = {}
        for clauses in self._clauses:
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
                elif first in names:
                    of_dropped[first] = names[first]
            names = kept
            taken = {one.new for one in clauses if one.old != one.new}
            of_dropped = {
                first: later
                for first, later in of_dropped.items()
                if taken.isdisjoint((first, *later))
            }
        names = {**of_dropped, **names}
        return {first: later for first, later in names.items() if later != [first]}

    @property
    def reused(self) -> list[set[str]]:
        """Return, for each statement, the names that it gives to a column after another had them.

        >>> swapped = "alter table t rename a to b, rename b to a"
        >>> [sorted(names) for names in TableDdl([swapped], "mysql").reused]
        [['a', 'b']]
        >>> first, back = "alter table t change a b int", "alter table t change b a int"
        >>> TableDdl([first, back], "mysql").reused
        [set(), set()]
        >>> TableDdl(["alter table t drop a", back], "mysql").reused
        [set(), {'a'}]
        """
        # by name, the column that has it or had it last
        owners: dict[str, object] = {}
        found: list[set[str]] = []
        for clauses in self._clauses:
            given: dict[str, object] = {}
            for one in clauses:
                column = owners.setdefault(one.old, object()) if one.old else object()
                if one.new:
                    given[one.new] = column
            taken = {name for name, one in given.items() if owners.get(name, one) is not one}
            found.append(taken)
            owners |= given
        return found

    @property
    def dropped(self) -> set[str]:
        """Return the columns that are dropped, and not added again.

        >>> statements = ["alter table t drop a, drop b, drop key c", "alter table t add b int"]
        >>> TableDdl(statements, "mysql").dropped
        {'a'}
        """
        dropped: set[str] = set()
        for one in itertools.chain(*self._clauses):
            if one.new:
                dropped.discard(one.new)
            else:
                dropped.add(one.old)
        return dropped

    @property
    def altered_types(self) -> dict[str, str]:
        """Return the columns that are given a type, with the newest type of each.

        >>> TableDdl(["alter table t modify a decimal(12, 4), add b int"], "mysql").altered_types
        {'a': 'decimal(12, 4)'}
        >>> longer = "alter table t alter column a type varchar(9)"
        >>> TableDdl([longer], "postgresql").altered_types
        {'a': 'varchar(9)'}
        >>> masked = "alter table t alter column a add masked with (…)"
        >>> TableDdl([masked], "sqlserver").altered_types
        {}
        """
        clauses = itertools.chain(*self._clauses)
        return {one.new: one.type for one in clauses if one.old and one.type}


def _is_so_already(clause: Clause, now: dict[str, str], names: dict[str, list[str]]) -> bool:
    # The statement was sent again: no database gives a column a name that another one has.
    column = now.get(clause.new)
    if clause.old in now or column is None:
        return False
    return clause.old in (column, *names[column])


def columns_of_several_names(shards: Sequence[TableDdl]) -> dict[str, list[str]]:
    """Return the columns that DDL has renamed: by first name the later ones, the newest first.

    Names that another column has been given since are left out.

    Args:
        shards: each table that is declared as one.

    >>> def names(statements, columns):
    ...     return columns_of_several_names([TableDdl(statements, "mysql", columns)])
    >>> names(["alter table t change A b int, rename column c to d, add c int"], "abcd")
    {'a': ['b']}
    >>> names(["alter table t change V W int", "alter table t change w x int"], "vx")
    {'v': ['x', 'w']}
    >>> names(["alter table t change V w int, add v int"], "vw")
    {}
    >>> shards = ("alter table t rename a to b", "alter table t rename b to c")
    >>> columns_of_several_names([TableDdl([one], "postgresql", "abc") for one in shards])
    {'a': ['c', 'b']}
    """
    reused = {name for ddl in shards for names in ddl.reused for name in names}
    chains: list[list[str]] = []
    for ddl in shards:
        for first, later in ddl.renamed.items():
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


# Cached, since every TableDdl of a table reads the same statements.
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
        elif self.takes("drop") or self.takes("set", "unused"):
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
        two = (self.word(), self.word(1))
        is_none = two in (("system", "versioning"), ("unused", "columns"))
        return two[0] in _OTHERS or is_none or self.is_constraint()

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
        while self.family == "sqlserver":
            self.to(",", ";")
            if self.word() != "," or self.word(1) in _VERBS:
                return
            self.at += 1
            self.takes("column")
            if not self.is_constraint():
                yield self.name()
