"""The source tables: one with every type, the others with unusual names, keys and so on."""

from columns import MARIADB, POSTGRESQL, Column
from workload import Table

NUMBER = ("0", "1", "-1", "2147483647")
NOTE = ("''", "'a'", "'华 💰'")


def _ids(count: int = 24) -> tuple[tuple[str, ...], ...]:
    return tuple((str(number),) for number in (0, -1, 2147483647, *range(1, count - 2)))


def mariadb_tables() -> list[Table]:
    """Return the tables of MariaDB and MySQL."""
    return [
        Table(
            "everything", (Column("id", "int not null", "integer", ()), *MARIADB), ("id",), _ids(),
            weight=3,
        ),
        Table(
            "odd names' `table`.1",
            (
                Column("the id", "int not null", "integer", ()),
                Column("Select", "int", "integer", NUMBER),
                Column("a.b", "int", "integer", NUMBER),
                Column('quo"te\'s', "varchar(20)", "text", NOTE),
                Column("back`tick", "varchar(20)", "text", NOTE),
                Column("back\\slash", "varchar(20)", "text", NOTE),
                Column("中文 列", "varchar(20)", "text", NOTE),
                Column("_feed", "varchar(20)", "text", NOTE),
                Column("op", "varchar(20)", "text", NOTE),
                Column("before", "varchar(20)", "text", NOTE),
                Column("{{ x }}", "varchar(20)", "text", NOTE),
                Column("__note", "varchar(20)", "text", NOTE),
            ),
            ("the id",),
            _ids(12),
        ),
        Table(
            "lines",
            (
                Column("note", "varchar(20)", "text", NOTE),
                Column(
                    "code",
                    "varchar(20) character set utf8mb4 collate utf8mb4_bin not null",
                    "text",
                    (),
                ),
                Column("order_id", "bigint not null", "integer", ()),
                Column("price", "decimal(12,4)", "decimal", ("1.1000", "-0.0001", "0")),
            ),
            ("order_id", "code"),
            tuple(
                (order, code)
                for order in ("1", "9223372036854775807", "-5")
                for code in ("'a'", "'A'", "''", "'华,\"\\\\'")
            ),
        ),
        Table(
            "typed keys",
            (
                Column("bytes", "varbinary(8) not null", "binary", ()),
                Column("amount", "decimal(12,4) not null", "decimal", ()),
                Column("at", "datetime(6) not null", "datetime", ()),
                Column("day", "date not null", "date", ()),
                Column("note", "varchar(20)", "text", NOTE),
            ),
            ("bytes", "amount", "at", "day"),
            tuple(
                (code, amount, at, day)
                for code in ("x'00ff'", "x''", "x'41'")
                for amount in ("1.1000", "-0.5")
                for at in ("'2026-01-01 00:00:00'", "'2026-01-01 00:00:00.000001'")
                for day in ("'2026-03-01'",)
            ),
        ),
        Table(
            "log",
            (
                Column("level", "varchar(10)", "text", ("'info'", "'warn'")),
                Column("n", "int", "integer", ("1", "2")),
                Column("amount", "decimal(10,2)", "decimal", ("1.10", "2.00")),
                Column("at", "datetime(3)", "datetime", ("'2026-01-01 00:00:00.5'",)),
            ),
        ),
    ]  # fmt: skip


def mysql_tables() -> list[Table]:
    """Return the tables for Canal, which stops at a backtick in a table's name."""
    tables = mariadb_tables()
    for table in tables:
        table.name = table.name.replace("`", '"')
    return tables


POSTGRESQL_TYPES = """
create extension if not exists citext;
create extension if not exists ltree;
create extension if not exists hstore;
create type mood as enum ('sad', 'o,k', 'it''s 华');
create domain positive as numeric(10,2) check (value > 0);
"""


def postgresql_tables() -> list[Table]:
    """Return the tables of PostgreSQL, which logs only the key of a row before its change."""
    tables = {table.name: table for table in mariadb_tables()}
    odd = tables["odd names' `table`.1"]
    odd.columns = tuple(column for column in odd.columns if column.name != "back`tick")
    lines = tables["lines"]
    lines.columns = tuple(
        Column(
            one.name,
            one.type.split(" character")[0] + " not null" * ("bin" in one.type),
            one.kind,
            one.values,
        )
        for one in lines.columns
    )
    lines.keys = tuple((order, code.replace("\\\\", "\\")) for order, code in lines.keys)
    log = tables["log"]
    log.columns = tuple(
        Column(one.name, one.type.replace("datetime", "timestamp"), one.kind, one.values)
        for one in log.columns
    )
    return [
        Table(
            "everything", (Column("id", "integer not null", "integer", ()), *POSTGRESQL), ("id",),
            _ids(), weight=3,
        ),
        odd,
        lines,
        log,
    ]  # fmt: skip


MARKER = Table("marker", (Column("id", "int not null", "integer", ()),), ("id",))
