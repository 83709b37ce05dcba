"""StreamX's updates in two messages, whose halves arrive in one run or in several."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import BronzeRow, Offsets
from changelake.onboarding.model_files import write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from joint_build import Part

# The parser's unit tests cover halves within one run; this takes six runs.
pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

FORMAT = "dataworks_streamx"
FEED = "pairs"
FEEDS_OF_TABLES = {FEED: FORMAT}
DAY = datetime.datetime(2026, 3, 1, 8)
Half = tuple[int, str]


def message(op: str, before: Any, after: Any, sequence: int, table: str) -> bytes:
    """Return a message about a row with the columns id and v."""
    source = {"dbType": "MySQL", "dbName": "pairs", "tableName": table}
    columns = [{"name": "id", "type": "LONG"}, {"name": "v", "type": "STRING"}]
    images = {
        name: image and {"dataColumn": {"id": image[0], "v": image[1]}}
        for name, image in (("before", before), ("after", after))
    }
    return json.dumps({
        "schema": {"dataColumn": columns, "primaryKey": ["id"], "source": source},
        "payload": {
            **images, "op": op, "sequenceId": str(sequence), "ddl": None,
            "timestamp": {"eventTime": 1_772_352_000_000 + sequence, "systemTime": 0},
        },
    }).encode()  # fmt: skip


def insert(row: Half, sequence: int) -> tuple[Any, ...]:
    """Return the arguments for message(), and the partition."""
    return "INSERT", None, row, sequence, 0


def half_before(row: Half, sequence: int, partition: int = 0) -> tuple[Any, ...]:
    """Return the first half of an update."""
    return "UPDATE_BEFOR", row, None, sequence, partition


def half_after(row: Half, sequence: int, partition: int = 0) -> tuple[Any, ...]:
    """Return the second half of an update."""
    return "UPDATE_AFTER", None, row, sequence, partition


RUNS: list[tuple[int, list[tuple[Any, ...]]]] = [
    # the day on which a run's messages land, and the messages
    (0, [
        insert((1, "a"), 1), insert((2, "a"), 2), insert((3, "a"), 3),
        half_before((2, "a"), 10), half_after((3, "lone"), 11),
    ]),
    (0, [
        half_after((2, "b"), 10), half_before((1, "a"), 12), half_before((2, "b"), 13),
        # Messages are repeated, and one more pair is in reverse order.
        half_before((2, "a"), 10), half_after((2, "b"), 10),
        half_after((2, "c"), 14), half_before((2, "b"), 14),
    ]),
    (1, [half_after((9, "moved"), 12, partition=1)]),  # a key change hashed by key
    (3, [insert((4, "a"), 15)]),
    (3, [insert((5, "a"), 16)]),
    (3, [half_after((2, "d"), 13)]),
]  # fmt: skip
RETRIED = 5


class Found:
    """The results after each run."""

    def __init__(self) -> None:
        self.outcomes: list[dict[str, int]] = []
        self.rows: list[dict[int, str]] = []
        self.copied: list[int] = []

    def look(self, spark: Any) -> None:
        """Record the results of a run."""
        counts = spark.sql(
            "select outcome, sum(messages) as messages from silver.message_counts_by_day"
            f" where format = '{FORMAT}' and kafka_topic = 'parts' group by outcome"
        )
        self.outcomes.append({row.outcome: row.messages for row in counts.collect()})
        current = spark.sql("select id, v from current.pairs__parts").collect()
        self.rows.append({row.id: row.v for row in current})
        (commit,) = spark.sql(f"describe history silver.{FORMAT}_events limit 1").collect()
        self.copied.append(int(commit.operationMetrics.get("numCopiedRows", 0)))


def events(spark: Any, topic: str, last: int) -> list[tuple[Any, ...]]:
    """Return a topic's events up to an offset of its first partition."""
    return [
        tuple(row)
        for row in spark.sql(
            "select kafka_partition, kafka_offset, operation, before, after"
            f" from silver.change_events where kafka_topic = '{topic}'"
            f" and (kafka_partition = 1 or kafka_offset <= {last}) order by 1, 2"
        ).collect()
    ]


def declare(_: Any, project: Path) -> None:
    """Write the table's model."""
    columns = [SourceColumn("id", "LONG", True), SourceColumn("v", "STRING", False)]
    table = SourceTable(FEED, FORMAT, "mysql", "pairs", None, "parts", columns, ["id"])
    write_table(table, project / "models" / "current" / "pairs")


def rows_of_batches() -> list[list[BronzeRow]]:
    """Return the new rows of each run."""
    offsets = Offsets()

    def landed(topic: str, number: int, sent: list[tuple[Any, ...]]) -> list[BronzeRow]:
        at = DAY + datetime.timedelta(days=RUNS[number][0], seconds=number)
        return [
            offsets.row(FEED, topic, partition, at, message(op, before, after, sequence, topic))
            for op, before, after, sequence, partition in sent
        ]

    rows = [landed("parts", number, sent) for number, (_, sent) in enumerate(RUNS)]
    # The same messages at once, as landing after a pause would bring them.
    rows[2] += landed("whole", 2, [one for _, part in RUNS[:3] for one in part])
    return rows


FOUND = Found()
PART = Part(FEEDS_OF_TABLES, rows_of_batches(), {0: declare}, FOUND.look, RETRIED)


def test_every_half_is_counted_once(built: Any) -> None:
    assert FOUND.outcomes == [
        {"events": 3, "waiting": 2},
        {"events": 9, "waiting": 3},
        {"events": 11, "waiting": 2},
        {"events": 12, "waiting": 2},
        # Halves that landed two days earlier do not wait any longer.
        {"events": 14, "rejected": 1},
        {"events": 16},
    ]


def test_tables_are_as_at_the_source(built: Any) -> None:
    moved = {2: "c", 3: "a", 9: "moved"}
    assert FOUND.rows == [
        {1: "a", 2: "a", 3: "a"},
        {1: "a", 2: "c", 3: "a"},
        moved,
        {**moved, 4: "a"},
        {**moved, 3: "lone", 4: "a", 5: "a"},
        {**moved, 2: "d", 3: "lone", 4: "a", 5: "a"},
    ]


def test_the_event_stands_at_the_second_half(built: Any) -> None:
    found = {(row[0], row[1]): row[2:] for row in events(built, "parts", 99)}
    two = {"id": "2", "v": "a"}, {"id": "2", "v": "b"}
    assert found[0, 5] == found[0, 9] == ("update", *two)
    assert found[0, 11] == ("update", two[1], {"id": "2", "v": "c"})
    assert found[1, 0] == ("update", {"id": "1", "v": "a"}, {"id": "9", "v": "moved"})
    assert found[0, 4] == ("update", None, {"id": "3", "v": "lone"})
    assert found[0, 14] == ("update", two[1], {"id": "2", "v": "d"})
    firsts = {(0, 3), (0, 6), (0, 7), (0, 8), (0, 10)}
    assert not firsts & set(found)


def test_one_run_says_the_same_as_several(built: Any) -> None:
    assert events(built, "parts", 11) == events(built, "whole", 11)


def test_a_half_is_replaced_without_rewriting_others(built: Any) -> None:
    assert set(FOUND.copied[:RETRIED]) == {0}
