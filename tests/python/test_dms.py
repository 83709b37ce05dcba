"""What AWS DMS leaves out of row messages or says elsewhere: nulls, types, keys, the order."""

import json
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import AT, BronzeRow, Offsets
from changelake.onboarding.choosing import choose_tables
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.seen import look_at_values, seen_tables
from compiled_text import compiled_text
from joint_build import Part

pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

FEED = "dms"
FEEDS_OF_TABLES = {FEED: "dms_json"}
# the beginning of PostgreSQL's positions
WAL = "00000001/0000000"


def message(
    table: str, operation: str, data: dict[str, Any] | None = None, position: str = "",
    partition: int = 0, **parts: Any,
) -> tuple[int, dict[str, Any]]:  # fmt: skip
    """Return a message with its partition; `before` and `control` are further parts of it."""
    metadata = {
        "timestamp": "2026-03-01T08:00:01.000001Z",
        "record-type": "data" if data else "control",
        "operation": operation,
        "schema-name": "dms",
        "table-name": table,
    }
    if position:
        metadata |= {"stream-position": position, "commit-timestamp": "2026-03-01T08:00:00.000000Z"}
    if "before" in parts:
        parts["before-image"] = parts.pop("before")
    return partition, {**({"data": data} if data else {}), **parts, "metadata": metadata}


COLUMNS = {
    "id": {"type": "INT32", "nullable": False},
    "no": {"type": "INT32", "nullable": False},
    "total": {"type": "NUMERIC", "precision": 9, "scale": 2, "nullable": True},
    "label": {"type": "BYTES", "length": 4, "nullable": True},
}
DEFINED = {"table-def": {"columns": COLUMNS, "primary-key": ["id", "no"]}}
# By batch. `placed` is in two partitions, and its newer change has the lower offset.
BATCHES = [
    [
        message("nulls", "load", {"id": 1, "a": "x", "n": 1}),
        message("nulls", "load", {"id": 2, "a": "y", "n": 7}),
        message("nulls", "insert", {"id": 3, "a": "z"}),
        message("nulls", "update", {"id": 1, "n": 2}),
        message("sent", "insert", {"id": 1, "a": "x", "n": None}),
        message("sent", "insert", {"id": 2, "a": "y", "n": 1}),
        message("sent", "update", {"id": 1, "n": None}),
        message("defined", "create-table", control=DEFINED),
        message("", "create-table", control=DEFINED),
        message("defined", "load", {"id": 1, "no": 7, "total": 1.5, "label": "0x00FF"}),
        message("defined", "load", {"id": 2, "no": 7, "total": 2.5}),
        # Oracle's log omits key columns that stay the same.
        message("defined", "update", {"id": 3, "no": 7, "total": 1.5}, before={"id": 1}),
        message("emptied", "load", {"id": 1, "a": "x"}),
        message("emptied", "drop-table", control={}),
        message("emptied", "load", {"id": 2, "a": "x"}),
        # The producer was restarted in between.
        *2
        * (
            message("resent", "load", {"id": 1, "a": "loaded"}),
            message("resent", "truncate-table", control={}),
            message("resent", "insert", {"id": 2, "a": "x"}, f"{WAL}1.1.{WAL}1"),
            message("resent", "insert", {"id": 3, "a": "y"}, f"{WAL}2.1.{WAL}2"),
            message("resent", "update", {"id": 3, "a": "z"}, f"{WAL}3.1.{WAL}3"),
        ),
        # Of the old row only the key is sent, or the other columns are null.
        *(message("moved", "load", {"id": number, "a": "old"}) for number in (1, 2, 3)),
        message("moved", "update", {"id": 4, "a": "new"}, before={"id": 3}),
        message("moved", "update", {"id": 5, "a": "newer"}, before={"id": 4, "a": None}),
        message("awsdms_status", "insert", {"id": 1}),
        message("placed", "update", {"id": 1, "a": "new"}, "00000002/A0000000.1.00000002/A0000000"),
        message("placed", "load", {"id": 1, "a": "loaded"}, partition=1),
        message("placed", "load", {"id": 2, "a": "loaded"}, partition=1),
        message(
            "placed", "update", {"id": 1, "a": "old"}, "00000002/9C000000.1.00000002/9C000000",
            partition=1,
        ),
    ],
    [
        message("nulls", "update", {"id": 2, "n": 5}),
        message("sent", "update", {"id": 2, "n": None}),
        message("sent", "update", {"id": 1, "n": 3}),
        message("moved", "update", {"id": 11, "a": "new"}, before={"id": 1}),
        message("moved", "update", {"id": 12, "a": "old"}, before={"id": 2, "a": None}),
        message(
            "placed", "update", {"id": 2, "a": "new"}, "00000003/00000010.1.00000003/00000010"
        ),
        message(
            "placed", "update", {"id": 2, "a": "old"}, "00000003/0000000F.1.00000003/0000000F",
            partition=1,
        ),
    ],
]  # fmt: skip
TABLES = ("nulls", "sent", "moved", "defined", "emptied", "placed", "resent")


def onboard(spark: Any, project: Path) -> None:
    """Write the models of all tables; only one table's messages name its key."""
    seen = [one for one in seen_tables(spark) if one.feed == FEED]
    look_at_values(spark, seen)
    keys = {f"dms.{name}": ["id"] for name in TABLES if name != "defined"}
    for table in choose_tables(seen, [], FEED, keys):
        write_table(table, project / "models" / "current" / "dms")
        if table.table in ("moved", "resent"):
            write_history(table, project / "models" / "history" / "dms")


def rows_of_batches() -> list[list[BronzeRow]]:
    """Return the new rows of each run: the first run shows the tables, the second builds them."""
    offsets = Offsets()
    first, later = (
        [
            offsets.row(FEED, FEED, partition, AT, json.dumps(value).encode())
            for partition, value in batch
        ]
        for batch in BATCHES
    )
    return [first, [], later]


PART = Part(FEEDS_OF_TABLES, rows_of_batches(), {1: onboard})


def rows_of(built: Any, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return a table's rows, sorted."""
    found = built.table(f"current.dms__{table}").selectExpr(*columns, "_undecodable").collect()
    return sorted(tuple(row) for row in found)


def test_what_is_absent_is_null(built: Any) -> None:
    due = [(1, None, 2, None), (2, None, 5, None), (3, "z", None, None)]
    assert rows_of(built, "nulls", "id", "a", "n") == due


def test_what_is_absent_beside_a_null_was_not_sent(built: Any) -> None:
    # Nothing shows whether the last update of row 1 leaves out a null.
    assert rows_of(built, "sent", "id", "a", "n") == [(1, None, 3, None), (2, "y", None, None)]


def test_a_row_leaves_its_old_key_whatever_else_changes(built: Any) -> None:
    due = [(5, "newer"), (11, "new"), (12, "old")]
    assert rows_of(built, "moved", "id", "a") == [(*row, None) for row in due]
    versions = built.table("history.dms__moved").where("_valid_to is null")
    assert sorted(map(tuple, versions.select("id", "a").collect())) == due


def test_types_and_key_are_those_of_the_definition(built: Any) -> None:
    table = built.table("current.dms__defined")
    types = [(one.name, one.dataType.simpleString()) for one in table.schema][: len(COLUMNS)]
    assert types == [("id", "int"), ("no", "int"), ("total", "decimal(9,2)"), ("label", "binary")]
    found = rows_of(built, "defined", "id", "no", "string(total)", "hex(label)")
    assert found == [(2, 7, "2.50", None, None), (3, 7, "1.50", None, None)]


def test_a_definition_without_a_name_is_of_no_table(built: Any) -> None:
    assert None not in {one.table for one in seen_tables(built)}


def test_a_table_that_is_loaded_anew_is_empty_before(built: Any) -> None:
    assert rows_of(built, "emptied", "id", "a") == [(2, "x", None)]


def test_rows_that_are_sent_again_with_a_truncation_stay_open(built: Any) -> None:
    assert rows_of(built, "resent", "id", "a") == [(2, "x", None), (3, "z", None)]
    versions = built.table("history.dms__resent").where("_valid_to is null")
    assert sorted(map(tuple, versions.select("id", "a").collect())) == [(2, "x"), (3, "z")]


def test_a_truncation_without_a_position_leaves_no_rows_as_of_one(built: Any) -> None:
    history = "{{ as_of(adapter.get_relation(none, 'history', 'dms__resent'), position='1') }}"
    with pytest.raises(AssertionError, match="has truncations without a position: give `at`"):
        compiled_text(f"select * from {history}")


def test_positions_of_postgresql_are_hexadecimal(built: Any) -> None:
    assert rows_of(built, "placed", "id", "a") == [(1, "new", None), (2, "new", None)]


def test_what_leaves_nulls_out_shows_no_drift(built: Any) -> None:
    drift = built.table("silver.column_drift").where("model like 'dms__%'")
    found = [tuple(row) for row in drift.select("model", "column_name", "kind").collect()]
    # Its newest image with a null lacks this column.
    assert found == [("dms__sent", "a", "no_longer_seen")]


def test_the_services_own_tables_are_none(built: Any) -> None:
    assert {one.table for one in seen_tables(built) if one.feed == FEED} == set(TABLES)
    counts = built.table("silver.message_counts").where(f"feed = '{FEED}'")
    found = counts.groupBy("outcome").sum("messages").collect()
    messages = sum(map(len, BATCHES))
    assert dict(map(tuple, found)) == {"events": messages - 1, "control": 1}
