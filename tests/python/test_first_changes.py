"""Tables whose first changes are awkward: no full load, or one in another order than the changes
after it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import AT, MILLIS, BronzeRow, Offsets
from changelake.build.dbt import Build
from changelake.core.errors import UserError
from changelake.onboarding.model_files import write_table
from changelake.onboarding.seen import check_rejects, seen_tables
from changelake.onboarding.tables import SourceColumn, SourceTable
from joint_build import Part

pytestmark = pytest.mark.e2e

LOADED = "mysql-bin.000065:800;u:1-9"


def shareplex(
    key: dict[str, Any] | None, data: dict[str, Any], table: str = "changed"
) -> dict[str, Any]:
    """Return an update with the old row as its key or, without a key, an insert."""
    operation = "upd" if key else "ins"
    meta = {"op": operation, "table": f"first.{table}", "time": "2026-03-01T08:00:00"}
    return {"data": data, **({"key": key} if key else {}), "meta": meta}


def drs(
    table: str, kind: str, number: int, data: Any, old: Any = None, key: str = "id"
) -> dict[str, Any]:
    """Return a DRS message: a full load has a position in the binlog, other messages a number."""
    return {
        "type": kind, "database": "first", "table": table, "id": number, "pkNames": [key],
        "mysqlType": {"id": "int", "v": "varchar(9)"}, "es": MILLIS + number, "ts": MILLIS,
        "isDdl": kind == "DDL", "sql": f"truncate table {table}" if kind == "DDL" else "",
        "data": data, "old": old, **({"eventId": LOADED} if kind == "INIT" else {}),
    }  # fmt: skip


def cloudcanal(pks: list[str], at: int, row: dict[str, str]) -> dict[str, Any]:
    """Return a row of CloudCanal's with its key columns and its change's time in milliseconds."""
    return {
        "action": "INSERT", "entryType": "ROWDATA", "isDdl": False, "db": "first", "schema": "",
        "table": "keyed", "pks": pks, "data": [row], "before": [],
        "dbValType": dict.fromkeys(row, "int"), "execTs": MILLIS + at, "sendTs": MILLIS, "sql": "",
    }  # fmt: skip


# by format, the messages of each partition
MESSAGES: dict[str, list[list[dict[str, Any]]]] = {
    "oceanbase_shareplex": [[
        shareplex({"id": 1, "v": "a", "price": "5.10"}, {"v": "b"}),
        shareplex({"id": 2, "v": "a", "price": None}, {"v": "b"}),
        shareplex({"id": 1, "v": "b", "price": "5.10"}, {"v": None}),
        *(shareplex(None, {"id": 1, "v": "a", "price": "5.10"}, "bag") for _ in range(2)),
        shareplex({"id": 1, "v": "a", "price": "5.10"}, {"v": "b"}, "bag"),
    ]],
    "drs_json": [
        [
            drs("moved", "INIT", 1, [{"id": "1", "v": "a"}]),
            drs("emptied", "DDL", 3, None),
            drs("emptied", "INSERT", 4, [{"id": "2", "v": "b"}]),
            drs("renamed", "INSERT", 5, [{"id": n, "v": "a", "price": "1.00"} for n in "12"]),
            # The source renamed `v`, which the model does not know.
            drs("renamed", "UPDATE", 6, [{"id": "1", "w": "b", "price": "2.00"}], [{"w": "a"}]),
            drs("renamed", "INSERT", 7, [{"id": "3", "w": "c", "price": "3.00"}]),
            drs("renamed", "INSERT", 8, [{"id": "4", "w": "c", "price": "4.00", "more": "1"}]),
            drs("reborn", "INSERT", 9, [{"id": "1", "v": "a", "price": "1.00"}]),
            drs("aliased", "INSERT", 9, [{"id": n, "v": "a", "price": "1.00"} for n in "12"]),
            # This model knows that `v` is now called `w`, but not that `price` is gone.
            drs("aliased", "UPDATE", 9, [{"id": "1", "w": None}], [{"w": "a"}]),
            drs("twofold", "INSERT", 9, [{"id": "1", "v": "a", "price": "1.00"}]),
            # another key over the same columns
            drs("rekeyed", "INSERT", 1, [{"id": "1", "v": "a"}]),
            drs("rekeyed", "INSERT", 2, [{"id": "1", "v": "a"}], key="v"),
            # recreated with another key, in one batch and in two
            drs("remade", "INSERT", 1, [{"id": "1", "v": "a"}]),
            drs("remade", "INSERT", 2, [{"w": "1", "v": "a"}], key="w"),
            drs("recreated", "INSERT", 1, [{"id": "1", "v": "a"}]),
            drs("recreated", "MERGE", 2, [{"id": "1", "v": "a"}]),
        ],
        [
            drs("moved", "UPDATE", 3, [{"id": "2", "v": "a"}], [{"id": "1"}]),
            drs("emptied", "INIT", 2, [{"id": "1", "v": "a"}]),
        ],
    ],
    "cloudcanal_json": [[cloudcanal(["id"], 20, {"id": "1", "v": "2"})]],
}  # fmt: skip
OTHER = "first_other"
FEEDS_OF_TABLES = {f"first_{one}": one for one in MESSAGES} | {OTHER: "drs_json"}
# what arrives in partition 0 when the tables are already built
LATER = {"drs_json": [
    drs("renamed", "UPDATE", 10, [{"id": "2", "w": "b", "price": "5.00"}], [{"w": "a"}]),
    drs("renamed", "INSERT", 11, [{"id": "5", "w": "c", "price": "5.00"}]),
    drs("reborn", "DDL", 12, None),
    drs("reborn", "INSERT", 13, [{"id": "1", "w": "b", "price": "2.00"}]),
    drs("recreated", "INSERT", 14, [{"v": "b", "w": "c"}], key="w"),
    drs("aliased", "UPDATE", 14, [{"id": "2", "w": "b"}], [{"w": "a"}]),
], "cloudcanal_json": [
    # a newer row that names no key, and an older one that names a different key
    cloudcanal([], 30, {"id": "2", "v": "2"}),
    cloudcanal(["v"], 10, {"v": "3", "id": "3"}),
]}  # fmt: skip
TABLES = {
    "changed": "oceanbase_shareplex", "bag": "oceanbase_shareplex", "moved": "drs_json",
    "emptied": "drs_json", "renamed": "drs_json", "reborn": "drs_json",
    "aliased": "drs_json", "twofold": "drs_json",
}  # fmt: skip


def declare(_: Any, project: Path) -> None:
    """Write the models."""
    models = project / "models" / "current" / "first"
    for name, format_id in TABLES.items():
        columns = [SourceColumn("id", "int", True), SourceColumn("v", "varchar(9)", False)]
        if name == "moved":
            columns.append(SourceColumn("planned", "int", False))
        elif name != "emptied":
            columns.append(SourceColumn("price", "decimal(9,2)", False))
        table = SourceTable(
            f"first_{format_id}",
            format_id,
            "mysql",
            "first",
            None,
            name,
            columns,
            [] if name == "bag" else ["id"],
        )
        write_table(table, models)
        # The differences between model and events must stay.
        model = models / f"first__{name}.sql"
        more = ", 'left_out': 'more'" if name == "renamed" else ""
        model.write_text(model.read_text().replace("'key'", f"'evolve': 'off'{more}, 'key'"))
    twofold = models / "first__twofold.sql"
    twofold.write_text(
        twofold.read_text().replace("['first_drs_json']", f"['first_drs_json', '{OTHER}']")
    )
    aliased = models / "first__aliased.sql"
    declared = aliased.read_text()
    aliased.write_text(declared.replace(
        "'v': 'string'", "'v': {'type': 'string', 'source': ['w', 'v']}"
    ))  # fmt: skip
    assert aliased.read_text() != declared


def rows_of_batches() -> list[list[BronzeRow]]:
    """Return the new rows of each of the two runs."""
    offsets = Offsets()

    def landed(format_id: str, partition: int, sent: list[dict[str, Any]]) -> list[BronzeRow]:
        feed = f"first_{format_id}"
        return [offsets.row(feed, feed, partition, AT, json.dumps(one).encode()) for one in sent]

    first = [
        row
        for format_id, partitions in MESSAGES.items()
        for partition, sent in enumerate(partitions)
        for row in landed(format_id, partition, sent)
    ]
    later = [row for one, sent in LATER.items() for row in landed(one, 0, sent)]
    # from one of a table's two feeds
    row = drs("twofold", "INSERT", 15, [{"id": "2", "v": "b", "price": "2.00"}])
    later.append(offsets.row(OTHER, OTHER, 0, AT, json.dumps(row).encode()))
    return [first, later]


PART = Part(FEEDS_OF_TABLES, rows_of_batches(), {0: declare})


@pytest.fixture(scope="module")
def rows(built: Any) -> Any:
    """The rows of each current table."""
    drift = built.table("silver.column_drift").where("model like 'first__%'")
    return {
        name: sorted(tuple(row) for row in built.table(f"current.first__{name}").collect())
        for name in TABLES
    } | {"drift": sorted(drift.select("model", "column_name", "kind").collect())}


def test_the_image_before_tells_what_a_partial_one_leaves_out(rows: Any) -> None:
    found = [(row[0], row[1], row[2] and str(row[2]), row[3]) for row in rows["changed"]]
    assert found == [(1, None, "5.10", None), (2, "b", None, None)]


def test_without_a_key_it_tells_what_the_row_is(rows: Any) -> None:
    assert [(row[0], row[1], str(row[2])) for row in rows["bag"]] == [
        (1, "a", "5.10"),
        (1, "b", "5.10"),
    ]


def test_a_column_that_no_longer_comes_keeps_its_values(rows: Any) -> None:
    assert [(row[0], row[1], str(row[2]), row[3]) for row in rows["renamed"]] == [
        (1, "a", "2.00", None),
        (2, "a", "5.00", None),
        (3, None, "3.00", {"v": None}),
        (4, None, "4.00", {"v": None}),
        (5, None, "5.00", {"v": None}),
    ]


def test_drift_names_what_models_and_events_differ_in(rows: Any) -> None:
    assert [tuple(row) for row in rows["drift"]] == [
        ("first__aliased", "price", "no_longer_seen"),
        ("first__moved", "planned", "never_seen"),
        ("first__reborn", "v", "no_longer_seen"),
        ("first__reborn", "w", "not_declared"),
        ("first__renamed", "v", "no_longer_seen"),
        ("first__renamed", "w", "not_declared"),
    ]


def test_a_row_of_an_emptied_table_leaves_nothing_to_the_next_of_its_key(rows: Any) -> None:
    assert [(row[0], row[1], str(row[2]), row[3]) for row in rows["reborn"]] == [
        (1, None, "2.00", {"v": None})
    ]


def test_a_partial_image_counts_under_each_of_a_columns_names(rows: Any) -> None:
    assert [(row[0], row[1], str(row[2]), row[3]) for row in rows["aliased"]] == [
        (1, None, "1.00", None),
        (2, "b", "1.00", None),
    ]


@pytest.mark.parametrize(("table", "due"), [("moved", (2, "a")), ("emptied", (2, "b"))])
def test_a_full_load_comes_before_all_changes(rows: Any, table: str, due: tuple[Any, ...]) -> None:
    assert [row[:2] for row in rows[table]] == [due]


def test_a_key_is_that_of_the_newest_rows(rows: Any, spark: Any) -> None:
    keys = {one.table: one.key for one in seen_tables(spark) if one.database == "first"}
    names = ("rekeyed", "remade", "recreated", "moved")
    assert [keys[one] for one in names] == [["v"], ["w"], ["w"], ["id"]]


def test_a_key_that_newer_rows_do_not_name_is_still_known(rows: Any, spark: Any) -> None:
    (table,) = (one for one in seen_tables(spark) if one.feed == "first_cloudcanal_json")
    assert (table.key, [column.name for column in table.columns]) == (["id"], ["id", "v"])


def test_columns_are_seen_from_the_first_event_to_the_last(rows: Any, spark: Any) -> None:
    seen = spark.sql(
        "select distinct unix_millis(first_seen_at), unix_millis(key_seen_at),"
        " unix_millis(last_seen_at) from silver.source_columns where feed = 'first_cloudcanal_json'"
    )
    assert [tuple(row) for row in seen.collect()] == [(MILLIS + 10, MILLIS + 20, MILLIS + 30)]


def test_columns_are_those_of_a_full_refresh(rows: Any, spark: Any) -> None:
    columns = spark.table("silver.source_columns").where("database_name = 'first'")
    names = ("feed", "table_name", "column_name", "column_type")
    before = columns.orderBy(*names).collect()
    (made,) = spark.sql("describe history silver.source_columns limit 1").collect()
    refresh = ("run", "--full-refresh", "--select", "source_columns")
    built = Build(spark, "local", lambda node: None).invoke(*refresh)
    assert built.nodes and not built.failed
    columns = spark.table("silver.source_columns").where("database_name = 'first'")
    assert columns.orderBy(*names).collect() == before
    # Other modules check the table as the runs left it.
    spark.sql(f"restore table silver.source_columns to version as of {made.version}")


def test_says_that_a_feed_has_rejects_alone(rows: Any, spark: Any) -> None:
    check_rejects(spark, "first_oceanbase_shareplex")
    with pytest.raises(UserError, match=r"rejected: 1 message: silver"):
        check_rejects(spark, "first_drs_json")


def test_a_table_of_an_unlisted_feed_is_not_built(rows: Any, spark: Any, project: Path) -> None:
    columns = [SourceColumn("id", "int", True)]
    table = SourceTable("stray", "canal", "mysql", "first", None, "stray", columns, ["id"])
    models = project / "models" / "current" / "first"
    write_table(table, models)
    built = Build(spark, "local", lambda node: None).invoke("run", "--select", "first__stray")
    for file in models.iterdir():
        file.unlink()
    assert [
        "is made of the feed stray, which the lake in" in one.message for one in built.failed
    ] == [True]
