"""The changes of the source tables: random statements, reproducible by their seed."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from columns import Column


@dataclass
class Table:
    """A source table.

    Args:
        name: the table's name.
        columns: all columns, with those of the key.
        keys: the values that the key can take, a tuple of literals per row; empty without a key.
        suffix: the text after the column list of its `create table`.
        weight: how often a step picks it, relative to other tables.
    """

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    suffix: str = ""
    weight: int = 1
    live: set[int] = field(default_factory=set)

    @property
    def others(self) -> list[Column]:
        """Return the columns that a statement can set, without those of the key."""
        return [one for one in self.columns if one.name not in self.key and one.values]


class Workload:
    """Statements that change the tables of one database.

    Args:
        tables: the tables.
        quoted: quotes a name for the database's SQL.
        one_row: the clause, from `where` on, that picks one of the rows that a condition holds for,
            for tables without a key.
        seed: the seed of the random choices.
        moves: whether there are key changes.
    """

    def __init__(
        self,
        tables: list[Table],
        quoted: Callable[[str], str],
        one_row: str,
        seed: int,
        moves: bool = True,
    ) -> None:
        self.tables = tables
        self.moves = moves
        self.chance = random.Random(seed)
        self.quoted = quoted
        self.one_row = one_row
        self.marks = 0

    def create(self) -> str:
        """Return the statements that create the tables."""
        statements = []
        for table in self.tables:
            lines = [f"{self.quoted(one.name)} {one.type}" for one in table.columns]
            if table.key:
                lines.append(f"primary key ({', '.join(map(self.quoted, table.key))})")
            columns = ",\n".join(lines)
            statements.append(
                f"create table {self.quoted(table.name)} (\n{columns}\n) {table.suffix}"
            )
        return ";\n".join([*statements, "create table marker (id int primary key)"]) + ";\n"

    def fill(self) -> str:
        """Return inserts of rows that together hold every value of each column."""
        statements = []
        for table in self.tables:
            most = max(len(one.values) for one in table.others)
            for number in range(most if not table.key else min(most, len(table.keys))):
                statements.append(self._insert(table, number))
        return self._script(statements)

    def alter(self, new_type: str, widens: bool = True) -> str:
        """Return statements that alter tables: one gets a new column, and one a wider column.

        Args:
            new_type: the database's clause that changes a column's type, with {name} and {type}.
            widens: whether a column becomes wider.
        """
        statements: list[str] = []
        for table in self.tables:
            name = self.quoted(table.name)
            if table.name == "lines":
                added = Column("added", "varchar(20)", "text", ("''", "'a'", "'华 💰'"))
                table.columns += (added,)
                statements.append(f"alter table {name} add column {added.name} {added.type}")
            elif widens and table.name.startswith("odd names"):
                wide = Column("Select", "bigint", "integer", ("0", "-1", "9223372036854775807"))
                table.columns = tuple(
                    wide if one.name == wide.name else one for one in table.columns
                )
                change = new_type.format(name=self.quoted(wide.name), type=wide.type)
                statements.append(f"alter table {name} {change}")
        assert len(statements) == 1 + widens
        return self._script(statements)

    def steps(self, count: int) -> str:
        """Return `count` random statements or transactions; some are rolled back."""
        statements: list[str] = []
        for _ in range(count):
            table = self.chance.choice([one for one in self.tables for _ in range(one.weight)])
            choice = self.chance.random()
            if choice < 0.15:
                live = {id(one): set(one.live) for one in self.tables}
                undone = [self._statement(self.chance.choice(self.tables)) for _ in range(3)]
                for one in self.tables:
                    one.live = live[id(one)]
                statements += ["begin", *undone, "rollback"]
            elif choice < 0.35:
                several = [self._statement(self.chance.choice(self.tables)) for _ in range(4)]
                statements += ["begin", *several, "commit"]
            else:
                statements.append(self._statement(table))
        return self._script(statements)

    def mark(self) -> str:
        """Return a statement whose event, once it arrives, shows that all earlier ones have."""
        self.marks += 1
        return f"insert into marker (id) values ({self.marks});\n"

    def _script(self, statements: list[str]) -> str:
        return "".join(f"{one};\n" for one in statements)

    def _statement(self, table: Table) -> str:
        if not table.key:
            return self._keyless(table)
        kinds = ["insert"] * 2 + ["update"] * 3 + ["delete", "again", "all"]
        kinds += ["key", "swap"] if self.moves else []
        kind = self.chance.choice(kinds)
        free = [n for n in range(len(table.keys)) if n not in table.live]
        if kind == "insert" and free:
            return self._insert(table)
        if not table.live:
            return self._insert(table)
        number = self.chance.choice(sorted(table.live))
        name, where = self.quoted(table.name), self._where(table, number)
        if kind == "key" and free:
            other = self.chance.choice(free)
            table.live ^= {number, other}
            values = self._key_of(table, other) + self._some(table, 1, ", ")
            return f"update {name} set {values} where {where}"
        if kind == "swap" and free and len(table.live) > 1:
            # The swap goes through a third key, which is free again afterwards.
            other = self.chance.choice(sorted(table.live - {number}))
            moves = [(number, free[0]), (other, number), (free[0], other)]
            return ";\n".join(
                f"update {name} set {self._key_of(table, new)} where {self._where(table, old)}"
                for old, new in moves
            )
        if kind == "delete":
            table.live.discard(number)
            return f"delete from {name} where {where}"
        if kind == "again":
            return f"delete from {name} where {where};\n{self._insert(table, key=number)}"
        if kind == "all":
            return f"update {name} set {self._some(table, 1)}"
        return f"update {name} set {self._some(table, 3)} where {where}"

    def _keyless(self, table: Table) -> str:
        name = self.quoted(table.name)
        kind = self.chance.choice(["insert", "twice", "delete", "update", "update_all"])
        column = self.chance.choice(table.others)
        where = f"{self.quoted(column.name)} = {self.chance.choice(column.values)}"
        one_row = self.one_row.format(table=name, where=where)
        if kind == "delete":
            return f"delete from {name} {one_row}"
        if kind == "update":
            return f"update {name} set {self._some(table, 1)} {one_row}"
        if kind == "update_all":
            return f"update {name} set {self._some(table, 1)} where {where}"
        insert = self._insert(table)
        return f"{insert};\n{insert}" if kind == "twice" else insert

    def _insert(self, table: Table, number: int | None = None, key: int | None = None) -> str:
        values = {}
        if table.key:
            if key is None:
                key = self.chance.choice([n for n in range(len(table.keys)) if n not in table.live])
            table.live.add(key)
            values = dict(zip(table.key, table.keys[key], strict=True))
        for column in table.others:
            values[column.name] = (
                self._value(column) if number is None
                else column.values[number % len(column.values)]
            )  # fmt: skip
        names = ", ".join(self.quoted(name) for name in values)
        return (
            f"insert into {self.quoted(table.name)} ({names}) values ({', '.join(values.values())})"
        )

    def _value(self, column: Column) -> str:
        nullable = "not null" not in column.type
        return (
            "null"
            if nullable and self.chance.random() < 0.15
            else self.chance.choice(column.values)
        )

    def _some(self, table: Table, count: int, before: str = "") -> str:
        columns = self.chance.sample(table.others, min(count, len(table.others)))
        return before + ", ".join(
            f"{self.quoted(one.name)} = {self._value(one)}" for one in columns
        )

    def _where(self, table: Table, number: int) -> str:
        return " and ".join(
            f"{self.quoted(name)} = {value}"
            for name, value in zip(table.key, table.keys[number], strict=True)
        )

    def _key_of(self, table: Table, number: int) -> str:
        return ", ".join(
            f"{self.quoted(name)} = {value}"
            for name, value in zip(table.key, table.keys[number], strict=True)
        )
