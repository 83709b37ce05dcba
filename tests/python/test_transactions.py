"""Messages that hold a whole transaction, in which a row can be inserted and deleted again."""

import json
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import AT, BronzeRow, Offsets
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.seen import seen_tables
from changelake.onboarding.tables import SourceColumn, SourceTable
from joint_build import Part

pytestmark = pytest.mark.e2e

FEED = "transactions"
FEEDS_OF_TABLES = {FEED: "ogg_json"}
# the time of late messages
EARLIER = "2026-03-01 07:59:59.000000"
Row = tuple[int, str] | None
# what the rows' keys are counted from in each batch of changes
KEYS = (100, 200)


def operation(before: Row, after: Row, table: str = "rows") -> dict[str, Any]:
    """Return GoldenGate's document for an operation; None means that there is no row."""
    images = {"before": before, "after": after}
    return {
        "table": f"tx.{table}", "op_type": "U" if before and after else "I" if after else "D",
        "primary_keys": ["id"], "op_ts": "2026-03-01 08:00:00.000000",
        **{name: dict(zip(("id", "v"), row, strict=True)) for name, row in images.items() if row},
    }  # fmt: skip


def transaction(key: int) -> list[dict[str, Any]]:
    """Return changes to rows with several keys, most of which exist before."""
    one, two, three, four, five, six, seven = range(key + 1, key + 8)
    return [
        # inserted and deleted
        operation(None, (one, "new")),
        operation((one, "new"), None),
        # deleted, inserted, deleted; deleted, inserted
        *(operation((n, "old"), None) for n in (four, five)),
        *(operation(None, (n, "again")) for n in (four, five)),
        operation((four, "again"), None),
        # changed and deleted
        operation((six, "old"), (six, "changed")),
        operation((six, "changed"), None),
        # inserted, then it leaves its key, which another row takes
        operation(None, (two, "moved")),
        operation((two, "moved"), (three, "moved")),
        operation(None, (two, "taken")),
        operation((seven, "old"), (seven, "changed")),
        # inserted or changed, then it leaves its key, which no row takes
        operation(None, (key + 10, "new")),
        operation((key + 10, "new"), (key + 11, "new")),
        operation((key + 12, "old"), (key + 12, "changed")),
        operation((key + 12, "changed"), (key + 13, "changed")),
    ]


def take_over(key: int) -> list[dict[str, Any]]:
    """Return a transaction whose rows take the keys of deleted or moved rows, and move on."""
    return [
        # The previous row is gone, or has left the key after a change.
        operation((key + 41, "old"), None),
        operation((key + 40, "old"), (key + 41, "old")),
        operation((key + 41, "old"), (key + 42, "old")),
        operation((key + 44, "old"), (key + 44, "changed")),
        operation((key + 44, "changed"), (key + 45, "changed")),
        operation((key + 43, "other"), (key + 44, "other")),
        operation((key + 44, "other"), (key + 46, "other")),
    ]


def swap(key: int) -> list[dict[str, Any]]:
    """Return one statement that swaps the keys of two rows."""
    return [
        operation((key + 8, "old"), (key + 9, "old")),
        operation((key + 9, "old"), (key + 8, "old")),
    ]


def mark_and_increment(key: int) -> list[dict[str, Any]]:
    """Return a transaction that changes or inserts rows, and then adds one to their keys."""
    return [
        operation((key + 18, "old"), (key + 18, "same")),
        operation((key + 17, "same"), (key + 18, "same")),
        operation((key + 18, "same"), (key + 19, "same")),
        *(operation(None, (key + n, f"new {n}")) for n in (30, 31)),
        *(operation((key + n, f"new {n}"), (key + n + 1, f"new {n}")) for n in (30, 31)),
    ]


def increment(key: int) -> list[list[dict[str, Any]]]:
    """Return one statement that adds one to the keys of two rows, as one message for each."""
    return [
        [operation((key + 14, "first"), (key + 15, "first"))],
        [operation((key + 15, "second"), (key + 16, "second"))],
    ]


def timeless_batches() -> list[list[list[dict[str, Any]]]]:
    """Return messages without a commit time, whose keys change in one run and in two."""

    def moved(*moves: tuple[int, int, str]) -> list[list[dict[str, Any]]]:
        return [[operation((old, v), (new, v), "timeless")] for old, new, v in moves]

    rows = {1: "a", 2: "b", 3: "c", 4: "d", 5: "e", 6: "f", 7: "g", 8: "h", 9: "i", 20: "j"}
    batches = [
        [[operation(None, row, "timeless")] for row in rows.items()],
        moved(
            (1, 2, "a"),
            (2, 1, "b"),
            (3, 4, "c"),
            (4, 10, "d"),
            (5, 6, "e"),
            (7, 8, "g"),
            (20, 21, "j"),
        ),
        # The row that leaves 9 did not arrive by a key change, so it is the existing row.
        moved((6, 5, "f"), (8, 11, "h"), (9, 12, "not i"), (21, 22, "not j")),
    ]
    # No other row took that key at the moment when it arrived.
    batches[2][-1][0]["current_ts"] = "2026-03-01T08:02:00.000000"
    for document in (one for messages in batches for message in messages for one in message):
        del document["op_ts"]
    return batches


def placed(position: int, *moves: tuple[int, int, str]) -> list[dict[str, Any]]:
    """Return a transaction of key changes with positions; without a value, the images lack it."""
    return [
        operation((old, v), (new, v), "again")
        | {"pos": f"{1:010}{position + 50 * n:010}"}
        | ({} if v else {"before": {"id": old}, "after": {"id": new}})
        for n, (old, new, v) in enumerate(moves)
    ]


def partial_update(key: int) -> dict[str, Any]:
    """Return an update that holds the key alone."""
    return operation((key, ""), (key, ""), "swapped") | dict.fromkeys(
        ("before", "after"), {"id": key}
    )


def at(time: str) -> str:
    """Return a commit time with these minutes and seconds."""
    return f"2026-03-01 08:{time}.000000"


def rows_of_batches() -> list[list[BronzeRow]]:
    """Return the new rows of each run: the first builds the tables, the second adds to them."""
    offsets = Offsets()
    rows = {**dict.fromkeys((4, 5, 6, 7, 8, 9, 12, 18), "old"), 14: "first", 15: "second"}
    rows |= {17: "same", 40: "old", 41: "old", 43: "other", 44: "old"}
    first = [[operation(None, (key + n, v))] for key in KEYS for n, v in rows.items()]
    later = [
        [
            transaction(key),
            take_over(key),
            swap(key),
            mark_and_increment(key),
            *increment(key),
        ]  # fmt: skip
        for key in KEYS
    ]
    first.append([operation(None, (1, "old"), "deleted")])
    # A value that its key change leaves out is unknown until a message says that it is null.
    first.append([operation(None, (1, "old"), "partial")])
    moved = {"before": {"id": 1}, "after": {"id": 2}}
    emptied = {"before": {"id": 2, "v": "old"}, "after": {"id": 2, "v": None}}
    later[0].append([operation((1, ""), (2, ""), "partial") | moved])
    later[1].append([operation((2, ""), (2, ""), "partial") | emptied])
    # One is added to the keys of two rows, and a key change leaves a value out. Both messages are
    # sent again.
    first += [
        [operation(None, (n, v), "again") | {"pos": f"{1:010}{n:010}"}]
        for n, v in ((1, "a"), (2, "b"), (4, "d"), (7, "g"), (8, "h"))
    ]
    sent = [placed(200, (1, 2, "a"), (2, 3, "b")), placed(300, (4, 5, ""))]
    changed_first = operation((7, "g"), (7, "new"), "again") | {"pos": f"{1:010}{350:010}"}
    sent.append([changed_first, *placed(400, (8, 7, "h"), (7, 8, "new"))])
    later[0] += sent
    later[1] += sent
    # Rows swap their keys, in one run and in two, and then one of them changes.
    first += [[operation(None, (n, f"row {n}"), "swapped")] for n in (1, 2, 3, 4)]
    swaps = [
        [operation((n, f"row {n}"), (m, f"row {n}"), "swapped")]
        for n, m in ((1, 2), (2, 1), (3, 4), (4, 3))
    ]
    later[0] += [*swaps[:2], [partial_update(2)], swaps[2]]
    later[1] += [swaps[3], [partial_update(4)]]
    # It takes the key of a row that leaves in another partition; that message comes later.
    first += [[operation(None, (n, "old"), "partial")] for n in (3, 4)]
    moves = [{"before": {"id": old}, "after": {"id": new}} for old, new in ((4, 3), (3, 5))]
    late = operation((3, ""), (5, ""), "partial") | moves[1] | {"op_ts": EARLIER}
    later[0].append([operation((4, ""), (3, ""), "partial") | moves[0]])
    # A row without its value takes the key of one that its transaction has deleted or moved.
    first += [[operation(None, (n, "old"), "partial")] for n in (6, 7, 8, 9)]
    gone = [operation((6, "old"), None, "partial"), operation((8, "old"), (10, "old"), "partial")]
    for left, (old, new) in zip(gone, ((7, 6), (9, 8)), strict=True):
        taken = {"before": {"id": old}, "after": {"id": new}}
        later[1].append([left, operation((old, ""), (new, ""), "partial") | taken])
    # A delete with only the key.
    later[1].append([operation((1, "old"), None, "deleted") | {"before": {"id": 1}}])
    # A truncation in another partition arrives first.
    lived = [operation(None, (1, "a"), "emptied"), operation((1, "a"), (1, "a"), "emptied")]
    changed = [operation((1, "a"), None, "emptied"), operation(None, (1, "b"), "emptied")]
    truncation = operation(None, (1, ""), "emptied") | {"op_type": "T", "op_ts": at("01:14")}
    del truncation["after"]
    first.append([lived[0] | {"op_ts": at("00:10")}])
    later[0].append([lived[1] | {"op_ts": at("00:20")}])
    later[1] += [[one | {"op_ts": at("01:07")}] for one in changed]
    batches = [
        [
            offsets.row(FEED, FEED, 0, AT, "".join(map(json.dumps, message)).encode())
            for message in messages
        ]
        for messages in (
            one + timeless
            for one, timeless in zip((first, *later), timeless_batches(), strict=True)
        )
    ]
    for batch, document in ((batches[1], truncation), (batches[2], late)):
        batch.append(offsets.row(FEED, FEED, 1, AT, json.dumps(document).encode()))
    return [batches[0] + batches[1], batches[2]]


NAMES = ("rows", "timeless", "partial", "emptied", "again", "swapped")


def declare(_: Any, project: Path) -> None:
    """Write the models of the tables and their histories."""
    columns = [SourceColumn("id", "bigint", True), SourceColumn("v", "varchar(9)", False)]
    for name in NAMES:
        table = SourceTable(FEED, "ogg_json", "mysql", None, "tx", name, columns, ["id"])
        write_table(table, project / "models" / "current" / FEED)
        write_history(table, project / "models" / "history" / FEED)


PART = Part(FEEDS_OF_TABLES, rows_of_batches(), {0: declare})


def open_rows(built: Any, relation: str) -> list[tuple[int, str]]:
    """Return the rows of a current table, or the open versions in a history."""
    found = built.table(relation)
    if relation.startswith("history"):
        found = found.where("_valid_to is null")
    return sorted(tuple(row) for row in found.selectExpr("int(id)", "v").collect())


@pytest.mark.parametrize("relation", ["current.tx__timeless", "history.tx__timeless"])
def test_a_row_that_takes_anothers_key_stays_without_a_commit_time(
    built: Any, relation: str
) -> None:
    assert open_rows(built, relation) == [
        (1, "b"), (2, "a"), (4, "c"), (5, "f"), (6, "e"), (8, "g"), (10, "d"), (11, "h"),
        (12, "not i"), (22, "not j"),
    ]  # fmt: skip


@pytest.mark.parametrize("relation", ["current.tx__rows", "history.tx__rows"])
def test_a_row_is_what_its_last_operation_left(built: Any, relation: str) -> None:
    assert open_rows(built, relation) == [
        (key + n, v)
        for key in KEYS
        for n, v in (
            (2, "taken"), (3, "moved"), (5, "again"), (7, "changed"), (8, "old"), (9, "old"),
            (11, "new"), (13, "changed"), (15, "first"), (16, "second"),
            (18, "same"), (19, "same"), (31, "new 30"), (32, "new 31"),
            (42, "old"), (45, "changed"), (46, "other"),
        )
    ]  # fmt: skip


@pytest.mark.parametrize("relation", ["current.tx__swapped", "history.tx__swapped"])
def test_a_row_that_takes_anothers_key_keeps_its_values(built: Any, relation: str) -> None:
    assert open_rows(built, relation) == [
        (1, "row 2"), (2, "row 1"), (3, "row 4"), (4, "row 3")
    ]  # fmt: skip


def test_a_repeated_message_in_which_a_row_takes_anothers_key_makes_no_version(built: Any) -> None:
    versions = built.table("history.tx__again").selectExpr("int(id)", "v", "_is_current")
    assert sorted(tuple(row) for row in versions.collect()) == [
        (1, "a", False), (2, "a", True), (2, "b", False), (3, "b", True), (4, "d", False),
        (5, None, True), (7, "g", False), (7, "h", True), (7, "new", False), (8, "h", False),
        (8, "new", True),
    ]  # fmt: skip


def test_a_value_that_becomes_known_as_null_begins_a_version(built: Any) -> None:
    found = built.table("history.tx__partial").where("id = 2").orderBy("_kafka_offset")
    assert [(row.v, row._undecodable) for row in found.collect()] == [
        (None, {"v": None}), (None, None)
    ]  # fmt: skip


def test_nothing_is_left_of_the_row_that_had_the_key(built: Any) -> None:
    """The message by which it left is in another partition and comes later."""
    current = built.table("current.tx__partial").where("id between 3 and 5")
    found = current.orderBy("id").collect()
    assert [(row.id, row.v, row._undecodable) for row in found] == [
        (3, None, {"v": None}), (5, None, {"v": None})
    ]  # fmt: skip
    versions = built.table("history.tx__partial").where("id = 3").orderBy("_valid_from")
    assert [(row.v, row._is_current) for row in versions.collect()] == [
        ("old", False), (None, True)
    ]  # fmt: skip


@pytest.mark.parametrize("relation", ["current.tx__partial", "history.tx__partial"])
def test_a_row_takes_the_key_of_one_that_its_transaction_removed(built: Any, relation: str) -> None:
    assert open_rows(built, relation)[-3:] == [(6, None), (8, None), (10, "old")]


def test_what_a_truncation_ended_can_have_ended_before(built: Any) -> None:
    versions = built.table("history.tx__emptied").orderBy("_valid_from").selectExpr(
        "v", "date_format(_valid_from, 'mm:ss')", "date_format(_valid_to, 'mm:ss')"
    )  # fmt: skip
    assert [tuple(row) for row in versions.collect()] == [
        ("a", "00:10", "01:07"), ("b", "01:07", "01:14")
    ]  # fmt: skip
    assert built.table("current.tx__emptied").count() == 0


def test_each_change_of_a_key_has_a_place_of_its_own(built: Any) -> None:
    # Otherwise a MERGE would find two source rows for one version when their order is recomputed.
    place = "_key, _kafka_partition, _kafka_offset, _row_index, _row_change"
    found = built.table("state.tx__rows__history").selectExpr(f"struct({place})").collect()
    assert len(found) == len(set(found)) > 50


def test_a_delete_by_the_key_alone_drops_no_column(built: Any) -> None:
    (table,) = (one for one in seen_tables(built) if one.name == "tx.deleted")
    assert [(one.name, one.is_dropped) for one in table.columns] == [("id", False), ("v", False)]
