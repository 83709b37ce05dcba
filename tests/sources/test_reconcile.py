"""Current tables against real databases: first they are equal, then every difference is found."""

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from changelake.kafka.broker import free_port
from changelake.reconcile.databases import database_of
from changelake.reconcile.progress import Progress
from changelake.reconcile.sources import Checksums, JdbcSource
from reconciled import DATABASE, FEED, ReconciledLake, Said
from servers import MariaDb, Postgres, Server, Start

pytestmark = pytest.mark.sources
FEEDS_OF_TABLES = {FEED: "canal"}


class Column(NamedTuple):
    """A column: its type in the model and in the database, a value, Canal's text, another value."""

    name: str
    declared: str
    type: str
    value: str
    text: str | None
    other: str


LONG = "1234567890123456789012345678.1234567890"
MARIADB = [
    Column("tiny", "tinyint", "tinyint(1)", "7", "7", "null"),
    Column("big", "decimal(20,0)", "bigint unsigned", "18446744073709551615",
           "18446744073709551615", "18446744073709551614"),
    Column("dec38", "decimal(38,10)", "decimal(38,10)", LONG, LONG, f"{LONG[:-1]}1"),
    Column("dec65", "string", "decimal(65,30)", "1.5", "1.500000000000000000000000000000",
           "1.500000000000000000000000000001"),
    Column("flag", "boolean", "bit(1)", "b'1'", "1", "b'0'"),
    Column("bits", "decimal(20,0)", "bit(12)", "b'100000000001'", "2049", "b'100000000000'"),
    Column("year", "int", "year", "2026", "2026", "2025"),
    Column("txt", "string", "varchar(50)", "''", "", "null"),
    Column("blank", "string", "varchar(50)", "'a 华💰'", "a 华💰", "'a 华💰 '"),
    Column("ch", "string", "char(5)", "'ab'", "ab", "'Ab'"),
    Column("label", "string", "enum('a','b')", "'b'", "b", "'a'"),
    Column("doc", "string", "json", "'{\"a\": [1]}'", '{"a": [1]}', "'{\"a\": [2]}'"),
    Column("day", "date", "date", "'2026-02-28'", "2026-02-28", "'2026-02-27'"),
    Column("zero", "date", "date", "'0000-00-00'", "0000-00-00", "null"),
    Column("at", "timestamp_ntz", "datetime(6)", "'2026-03-29 02:30:00.123450'",
           "2026-03-29 02:30:00.123450", "'2026-03-29 02:30:00.123451'"),
    Column("ts", "timestamp", "timestamp(6) null", "'2026-03-29 02:30:00.000001'",
           "2026-03-28 18:30:00.000001", "'2026-03-29 02:30:00'"),
    Column("clock", "string from time", "time(3)", "'-838:59:58.500'", "-838:59:58.500",
           "'-838:59:58.501'"),
    Column("raw", "binary from hex", "varbinary(16)", "x'00ff00'", "00ff00", "x'00ff'"),
]  # fmt: skip
POSTGRESQL = [
    Column("small", "smallint", "smallint", "-1", "-1", "null"),
    Column("dec38", "decimal(38,10)", "numeric(38,10)", LONG, LONG, f"{LONG[:-1]}1"),
    Column("free", "decimal(38,4)", "numeric", "1.50", "1.5", "1.51"),
    Column("wide", "string", "numeric", "1e-40", "0." + "0" * 39 + "1", "1e-41"),
    Column("money", "decimal(20,2)", "money", "'$1,234.50'", "1234.50", "'$1,234.51'"),
    Column("flag", "boolean", "boolean", "true", "true", "false"),
    Column("txt", "string", "text", "''", "", "null"),
    Column("blank", "string", "varchar(50)", "'a 华💰'", "a 华💰", "'a 华💰 '"),
    Column("ch", "string", "char(5)", "'ab'", "ab   ", "'Ab'"),
    Column("doc", "string", "jsonb", "'{\"a\": [1, \" b\"]}'", '{"a":[1," b"]}', "'{\"a\": [1]}'"),
    Column("id128", "string", "uuid", "'123e4567-e89b-12d3-a456-426655440000'",
           "123e4567-e89b-12d3-a456-426655440000", "'123e4567-e89b-12d3-a456-426655440001'"),
    Column("net", "string", "inet", "'192.168.0.1/32'", "192.168.0.1", "'192.168.0.2/32'"),
    Column("day", "date", "date", "'0001-01-01'", "0001-01-01", "'0001-01-02'"),
    Column("at", "timestamp_ntz", "timestamp", "'2026-03-29 02:30:00.12345'",
           "2026-03-29 02:30:00.123450", "'2026-03-29 02:30:00.123451'"),
    Column("ts", "timestamp", "timestamptz", "'2026-03-29 02:30:00.000001+08'",
           "2026-03-28 18:30:00.000001", "'2026-03-29 02:30:00+08'"),
    Column("clock", "string from time", "time", "'10:00:00.5'", "10:00:00.500", "'10:00:00.51'"),
    Column("raw", "binary from hex", "bytea", "'\\x00ff00'", "00ff00", "'\\x00ff'"),
]  # fmt: skip
# Both sides have no common text for these.
FLOATS = [
    Column("f", "float", "real", "0.1", "0.1", "0.2"),
    Column("g", "double", "double precision", "9007199254740993e10", "9.007199254740993E25",
           "9007199254740995e10"),
]  # fmt: skip


@pytest.fixture(scope="module")
def reconciled(
    spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> ReconciledLake:
    """The built lake, in each table one row per column of the source table, and one more."""
    lake = ReconciledLake(spark, project, tmp_path_factory.mktemp("reconciled"))
    for name, columns in TABLES.items():
        declared = {one.name: one.declared for one in columns}
        lake.declare(name, {"id": "bigint", **declared}, key=["id"])
        texts = {one.name: one.text for one in columns}
        lake.land(name, *({"id": str(number), **texts} for number in range(len(columns) + 1)))
    lake.declare("log", {"a": "int", "b": "string"}, key=[])
    lake.land("log", *({"a": "1", "b": text} for text in ("x", "x", None, "y")))
    names = [f"c{number}" for number in range(WIDE)]
    lake.declare("wide", {"id": "bigint", **dict.fromkeys(names, "string")}, key=["id"])
    lake.land("wide", {"id": "1", **dict.fromkeys(names)}, {"id": "2", **dict.fromkeys(names, "x")})
    parts = {"id": "bigint", "v": "string", "shard": "string"}
    lake.declare("parts", parts, key=["shard", "id"], shards=rf"{DATABASE}\.part_\d", shard="shard")
    lake.declare(
        "pgparts",
        parts,
        key=["shard", "id"],
        shards=r"(?:postgres\.)?shop\.part_\d",
        shard="shard",
    )
    for number in range(2):
        lake.land(f"part_{number}", {"id": "1", "v": f"v{number}"})
    lake.declare(
        "odd",
        {
            "id": {"type": "int", "source": 'Id `x"'},
            "mail": {"type": "string", "mask": "hash"},
            "moved": "timestamp",
            "place": "binary from hex",
            "gone": "string",
        },
        key=['Id `x"'],
    )
    lake.land("odd", {'Id `x"': "1", "mail": "m", "moved": "2026-01-01 00:00:00", "gone": "g"})
    lake.build()
    return lake


TABLES = {"maria": MARIADB, "post": POSTGRESQL, "floats": FLOATS}
# more columns than a PostgreSQL function takes arguments
WIDE = 120


def fill(name: str, quoted: Callable[[str], str]) -> str:
    """Return the statements that create a source table with the same rows as the lake."""
    columns = TABLES[name]
    types = ", ".join(f"{quoted(one.name)} {one.type}" for one in columns)
    values = ", ".join(one.value for one in columns)
    rows = ", ".join(f"({number}, {values})" for number in range(len(columns) + 1))
    return (
        f"create table {name} (id bigint primary key, {types});\n"
        f"insert into {name} values {rows};\n"
    )


def change(name: str, quoted: Callable[[str], str]) -> str:
    """Return statements that change a different column in each row and replace the last row."""
    columns = TABLES[name]
    changes = [
        f"update {name} set {quoted(one.name)} = {one.other} where id = {number};\n"
        for number, one in enumerate(columns)
    ]
    last = len(columns)
    return "".join(changes) + (
        f"delete from {name} where id = {last};\n"
        f"insert into {name} (id) values (9223372036854775807);\n"
    )


def expected(name: str) -> set[tuple[str, str, str | None]]:
    """Return the differences after that."""
    columns = TABLES[name]
    cells = {("cell", str(number), one.name) for number, one in enumerate(columns)}
    return {
        *cells, ("extra", str(len(columns)), None), ("missing", "9223372036854775807", None)
    }  # fmt: skip


def check(
    server: Server, lake: ReconciledLake, url: str, quoted: Any, name: str, *more: str
) -> Said:
    """Compare a table before and after changes at its source."""
    arguments = ("--table", name, "--jdbc", url, *more)
    server.sql(fill(name, quoted), DATABASE)
    before = lake.reconcile(*arguments)
    assert (before.code, before.differences) == (0, []), before.text
    server.sql(change(name, quoted), DATABASE)
    after = lake.reconcile(*arguments, "--lag", "0")
    assert after.code == 5, after.text
    assert after.cells("id") == expected(name)
    return after


def check_wide(server: Server, lake: ReconciledLake, *arguments: str) -> None:
    """Compare a table with many columns and a null in each: the checksums must agree."""
    columns = ", ".join(f"c{number} varchar(9)" for number in range(WIDE))
    values = ", ".join(["'x'"] * WIDE)
    server.sql(f"create table shop.wide (id bigint primary key, {columns});"
               f" insert into shop.wide (id) values (1);"
               f" insert into shop.wide values (2, {values})")  # fmt: skip
    said = lake.reconcile("--table", "wide", *arguments)
    assert said.code == 0 and "0 of 2 ranges of keys differ" in said.text, said.text


def test_mariadb(start: Start, reconciled: ReconciledLake, monkeypatch: pytest.MonkeyPatch) -> None:
    server, lake = start(MariaDb), reconciled
    server.sql(f"create database {DATABASE}; create user reader identified by 'it''s';"
               f" grant all on {DATABASE}.* to reader")  # fmt: skip
    url = f"jdbc:mariadb://127.0.0.1:{server.port}/"
    monkeypatch.setenv("CHANGELAKE_JDBC_PASSWORD", "it's")
    user = ("--user", "reader")
    found = check(server, lake, url, server.quoted, "maria", *user)
    cells = {one["column"]: (one["here"], one["there"]) for one in found.differences}
    assert cells["txt"] == ("", None)
    assert cells["big"] == ("18446744073709551615", "18446744073709551614")
    assert cells["zero"] == ("0000-00-00", None)
    assert cells["raw"] == ("00ff00", "00ff")
    assert "ranges of keys differ in their checksums" in found.text
    check(server, lake, url, server.quoted, "floats", *user)
    check_wide(server, lake, "--jdbc", url, *user)

    server.sql("create table log (a int, b text); insert into log values"
               " (1, 'x'), (1, 'x'), (1, null), (1, 'y')", DATABASE)  # fmt: skip
    assert lake.reconcile("--table", "log", "--jdbc", url, *user).code == 0
    server.sql("delete from log where b = 'x' limit 1; delete from log where b = 'y'", DATABASE)
    said = lake.reconcile("--table", "log", "--jdbc", url, *user, "--lag", "0")
    counts = {one["key"]["b"]: (one["here"], one["there"]) for one in said.differences}
    assert counts == {"x": ("2", "1"), "y": ("1", None)}

    for number in range(2):
        server.sql(
            f"create table part_{number} (id bigint primary key, v text);"
            f" insert into part_{number} values (1, 'v{number}')",
            DATABASE,
        )
    assert lake.reconcile("--table", "parts", "--jdbc", url, *user).code == 0
    server.sql("update part_1 set v = 'v0'", DATABASE)
    said = lake.reconcile("--table", "parts", "--jdbc", url, *user, "--lag", "0")
    assert said.cells("shard") == {("cell", "shop.part_1", "v")}

    # In upper case it is another table.
    server.sql("create table LOG (a int, c int)", DATABASE)
    said = lake.reconcile("--table", "log", "--jdbc", url, *user, "--lag", "0")
    assert "not declared here" not in said.text

    server.sql(
        'create table odd (`Id ``x"` int primary key, mail text, moved datetime, place point,'
        " extra point); insert into odd values (1, 'm', '2026-01-01', null, null)",
        DATABASE,
    )
    said = lake.reconcile("--table", "odd", "--jdbc", url, *user)
    assert said.code == 0
    for line in (
        "not compared: mail: masked here",
        "not compared: moved: datetime at the source, timestamp here",
        "not compared: gone: not at the source",
        "not compared: place: point has no text that both sides share",
        "not compared: extra: not declared here",
        "equal in 1 column:",
    ):
        assert line in said.text


def test_refusals(start: Start, reconciled: ReconciledLake) -> None:
    server = start(Postgres)
    server.sql("create schema shop; create table shop.part_0 (id bigint, v text);"
               " create table shop.part_1 (id bigint, v text);"
               " create table shop.part_2 (id bigint); create table shop.log (c int)")  # fmt: skip
    url = f"jdbc:postgresql://127.0.0.1:{server.port}/postgres"
    closed = f"jdbc:postgresql://127.0.0.1:{free_port()}/postgres"
    named = "--source-table"
    for arguments, message in (
        (("post", "--jdbc", closed), "the database refuses: Connection refused"),
        (("post", "--jdbc", url, "--user", "nobody"), 'the database refuses: FATAL: role "nobody"'),
        (("post", "--jdbc", url), "the source has no table shop.post that this user can read"),
        (("post", "--jdbc", url, named, "a.b.c"), "--source-table a.b.c: write SCHEMA.TABLE"),
        (("log", "--jdbc", url, named, "shop.log"), "log and the source have no column in common"),
        (("parts", "--jdbc", url, named, "x"), "parts is made of several source tables: leave"),
        (("parts", "--jdbc", url), r"the source has no table that matches shop\.part_\d"),
        (("post", "--jdbc", url, named, ""), "--source-table : write SCHEMA.TABLE"),
        (
            ("pgparts", "--jdbc", url),
            "pgparts cannot be compared: its source tables do not have the same columns:"
            " postgres.shop.part_0 and postgres.shop.part_2",
        ),
    ):
        user = () if "--user" in arguments else ("--user", "postgres")
        said = reconciled.reconcile("--table", *arguments, *user)
        *_, line = said.text.splitlines()
        assert said.code == 1 and line.startswith(f"error: {message}"), said.text


def test_postgresql(start: Start, reconciled: ReconciledLake) -> None:
    server, lake = start(Postgres), reconciled
    server.sql(f"create schema {DATABASE}")
    url = f"jdbc:postgresql://127.0.0.1:{server.port}/postgres"
    user = ("--user", "postgres")
    check(server, lake, url, server.quoted, "post", *user, "--source-table", "shop.post")
    check(server, lake, url, server.quoted, "floats", *user, "--source-table", "shop.floats")
    check_wide(server, lake, "--jdbc", url, *user, "--source-table", "shop.wide")

    server.sql('alter table shop.floats rename to "f.g"')
    server.sql('delete from shop."f.g"')
    named = ("--source-table", 'shop."f.g"')
    said = lake.reconcile("--table", "floats", "--jdbc", url, *user, *named, "--wait", "0")
    assert "rows here, 0 at the source" in said.text, said.text
    # Each of them has all its digits; Python 3.10 cannot read any others.
    clock = database_of("postgresql").clock
    short = f"select count(*) from generate_series(1, 10000) where length({clock}) <> 26"
    assert server.sql(short).strip() == "0"


def test_a_moving_table_is_no_difference(
    start: Start, reconciled: ReconciledLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, lake = start(MariaDb), reconciled
    server.sql(f"create database {DATABASE}")
    lake.declare("moves", {"id": "bigint", "v": "string"}, key=["id"])
    lake.land("moves", {"id": "1", "v": "a"}, {"id": "2", "v": "b"})
    lake.build()
    server.sql("create table moves (id bigint primary key, v text);"
               " insert into moves values (1, 'a'), (2, 'b')", DATABASE)  # fmt: skip
    arguments = (
        "--table", "moves", "--jdbc", f"jdbc:mariadb://127.0.0.1:{server.port}/", "--user", "root"
    )  # fmt: skip

    def write(value: str) -> None:
        server.sql(f"update moves set v = '{value}' where id = 1", DATABASE)

    # An equal table was so at the moment when its source was read.
    computed, began = JdbcSource.checksums, datetime.datetime.now(datetime.timezone.utc)

    def checksums(self: JdbcSource, buckets: int) -> Checksums | None:
        nonlocal began
        found, began = computed(self, buckets), datetime.datetime.now(datetime.timezone.utc)
        return found

    monkeypatch.setattr(JdbcSource, "checksums", checksums)
    assert lake.reconcile(*arguments).code == 0
    newest = (
        "select string(max_by(at, at)) from monitoring.reconciliations where relation = 'moves'"
    )
    assert lake.spark.sql(newest).collect()[0][0] < f"{began:%Y-%m-%d %H:%M:%S.%f}"

    # Nobody promises that the change has landed by now, nor is there a later message in the lake.
    write("c")
    for promise in ((), ("--lag", "3600")):
        said = lake.reconcile(*arguments, *promise, "--wait", "3")
        assert (said.code, [one["verdict"] for one in said.differences]) == (6, ["undecided"])
        assert "undecided: 1 rows differ, but the lake may only be behind" in said.text
    # It has landed but is not built.
    lake.land("moves", {"id": "1", "v": "c"}, kind="UPDATE")
    assert lake.reconcile(*arguments, "--lag", "0", "--wait", "0").code == 6
    # It is built while the command waits.
    waited = Progress.has_passed

    def build_and_look(self: Progress, moment: datetime.datetime, now: datetime.datetime) -> bool:
        lake.build()
        return waited(self, moment, now)

    monkeypatch.setattr(Progress, "has_passed", build_and_look)
    said = lake.reconcile(*arguments, "--lag", "0")
    assert said.code == 0, said.text
    # A later change in the stream shows that all earlier ones have landed.
    write("d")

    def land_and_look(self: Progress, moment: datetime.datetime, now: datetime.datetime) -> bool:
        millis = int(now.timestamp() * 1000) + 1000
        lake.land("moves", {"id": "2", "v": "b"}, kind="UPDATE", millis=millis)
        return build_and_look(self, moment, now)

    monkeypatch.setattr(Progress, "has_passed", land_and_look)
    said = lake.reconcile(*arguments)
    assert (said.code, said.cells("id")) == (5, {("cell", "1", "v")}), said.text

    # A row that changes between the two reads proves nothing.
    def write_and_look(self: Progress, moment: datetime.datetime, now: datetime.datetime) -> bool:
        write("e")
        return waited(self, moment, now)

    monkeypatch.setattr(Progress, "has_passed", write_and_look)
    assert lake.reconcile(*arguments, "--lag", "0", "--wait", "0").code == 6

    # A difference that was certain once remains one, whatever happens while others are checked.
    server.sql("update moves set v = 'x'", DATABASE)
    looks = iter(range(99))

    def write_both(self: Progress, moment: datetime.datetime, now: datetime.datetime) -> bool:
        # First the second row changes, afterwards the first one.
        look = next(looks)
        server.sql(f"update moves set v = 'f{look}' where id = {1 if look else 2}", DATABASE)
        return waited(self, moment, now)

    monkeypatch.setattr(Progress, "has_passed", write_both)
    said = lake.reconcile(*arguments, "--lag", "0", "--wait", "20")
    assert (said.code, {one["verdict"] for one in said.differences}) == (5, {"differs"}), said.text
    assert said.cells("id") == {("cell", "1", "v"), ("cell", "2", "v")}
