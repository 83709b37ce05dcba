"""The order of a table's changes that are in several partitions or topics."""

import json
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import AT, BronzeRow, Offsets
from canal import canal_message
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.seen import seen_tables
from changelake.onboarding.shards import join_shards
from changelake.onboarding.tables import SourceColumn, SourceTable
from joint_build import Part

pytestmark = pytest.mark.e2e

FEED = "ordered"
# DRS's tables, whose names begin with it, have their own feed and format.
DRS_FEED = "moments"
FEEDS_OF_TABLES = {FEED: "canal", DRS_FEED: "drs_json"}
# When the source committed, in seconds: Canal's own times are no finer.
START = 1_700_000_000


def row(
    topic: str, partition: int, code: str, id_: str, v: str, es: int, ts: int, number: int,
    old: dict[str, str] | None = None, type_: str = "",
) -> tuple[str, int, dict[str, Any]]:  # fmt: skip
    """Return a Canal message with its topic and partition; an empty `v` makes it a truncation."""
    return topic, partition, canal_message(
        code, "moments", "", (START + es) * 1000, [{"id": id_, "v": v}] if v else None,
        ts=START * 1000 + ts, id=number, sql="" if v else "truncate table t",
        old=[old] if old else None, mysqlType={"id": "bigint", "v": type_} if type_ else None,
    )  # fmt: skip


def ddl(topic: str, es: int, ts: int, number: int, sql: str) -> tuple[str, int, dict[str, Any]]:
    """Return a DDL statement as a Canal message, with its topic and partition."""
    _, partition, message = row(topic, 0, "ALTER", "", "", es, ts, number)
    return topic, partition, {**message, "sql": sql}


# Canal's messages from a busy server: many in one second, some in one millisecond.
ONE_SECOND = [
    row("t", 1, "INSERT", "2", "a", 10, 900, 1),
    row("t", 2, "INSERT", "9", "a", 10, 900, 1),
    row("t", 1, "UPDATE", "2", "b", 20, 1_000, 277, {"v": "a"}),
    row("t", 2, "UPDATE", "9", "b", 20, 1_000, 277, {"v": "a"}),
    row("t", 0, "TRUNCATE", "", "", 20, 1_000, 278),
    row("t", 1, "INSERT", "3", "c", 20, 1_000, 279),
    row("t", 2, "INSERT", "1", "c", 20, 1_001, 1),
    # A row moves to another key and back; each message is in its new key's partition.
    row("t", 1, "INSERT", "4", "d", 20, 1_002, 1),
    row("t", 2, "UPDATE", "5", "d", 20, 1_003, 1, {"id": "4"}),
    row("t", 1, "UPDATE", "4", "d", 20, 1_003, 2, {"id": "5"}),
    row("t", 1, "UPDATE", "4", "e", 20, 1_004, 1, {"v": "d"}),
    # For this key the newest change has the lower offset.
    row("t", 2, "INSERT", "6", "f", 20, 1_005, 1),
    row("t", 0, "UPDATE", "6", "g", 20, 1_005, 2, {"v": "f"}),
]


def drs(messages: list[tuple[str, int, dict[str, Any]]]) -> list[tuple[str, int, dict[str, Any]]]:
    """Convert Canal's messages to DRS's.

    DRS gives the binlog position of a transaction, which the transaction's statements share; a
    truncation has one of its own.
    """
    return [
        (topic, partition, {
            **message, "type": "DDL" if message["isDdl"] else message["type"],
            "eventId": f"b.1:{message['es'] % 1_000_000}{message['ts'] % 10_000:04}"
            f"{max(message['id'] - 277, 0)};u:1",
            "mysqlType": {"id": "bigint", "v": "varchar(9)"},
        })
        for topic, partition, message in messages
    ]  # fmt: skip


DRS_SECOND = drs(ONE_SECOND)
DUE = [("1", "c"), ("3", "c"), ("4", "e"), ("6", "g")]
# Each topic has only one partition, number 0; the first truncation has the higher offset.
TWO_TOPICS = [
    row("a", 0, "INSERT", "1", "a", 10, 10, 1),
    row("b", 0, "INSERT", "2", "a", 11, 11, 1),
    row("a", 0, "INSERT", "3", "a", 12, 12, 1),
    row("a", 0, "INSERT", "4", "a", 13, 13, 1),
    row("a", 0, "TRUNCATE", "", "", 15, 15, 1),
    row("a", 0, "INSERT", "5", "a", 16, 16, 1),
    row("b", 0, "TRUNCATE", "", "", 20, 20, 1),
    row("a", 0, "INSERT", "6", "a", 30, 30, 1),
]
# Without a key, every message counts.
COUNTED = [
    [row("t", 0, "INSERT", "1", "a", 10, 10, 1)] * 3,
    [row("t", 0, "INSERT", "1", "a", 11, 11, 1), row("t", 0, "DELETE", "1", "a", 12, 12, 1)] * 2
    + [row("t", 0, "INSERT", "2", "a", 13, 13, 1)],
]
# Likewise, with positions: after a restart the producer repeats everything from a truncation on.
RESENT = drs([
    row("t", 0, "TRUNCATE", "", "", 10, 100, 278),
    row("t", 0, "INSERT", "1", "a", 11, 110, 279),
    row("t", 0, "INSERT", "2", "b", 11, 110, 280),
    row("t", 0, "DELETE", "2", "b", 12, 120, 281),
])  # fmt: skip
# the tables without a key
BAGS = ("counted", "drs_counted")
# Two topics with DDL in the same second, and a type that changes within a second that no message
# names.
DDL = [
    ddl("b", 20, 5, 2, "alter table t add b int"),
    ddl("a", 20, 7, 1, "alter table t drop b"),
    ddl("b", 20, 9, 1, "alter table t add c int"),
]
RETYPED = [
    row("a", 0, "INSERT", "1", "a", 10, 10, 1, type_="varchar(9)"),
    row("a", 0, "INSERT", "2", "b", 10, 10, 2, type_="varchar(20)"),
    # Its commit time is years too early.
    row("a", 0, "INSERT", "3", "c", -100_000_000, 20, 1, type_="varchar(40)"),
]
TIMELESS = [
    (topic, partition, {**message, "es": None, "ts": None}) for topic, partition, message in RETYPED
]
# by table, its messages batch by batch
TABLES = {
    "counted": COUNTED,
    "at_once": [ONE_SECOND],
    # The truncation arrives after the rows that follow it.
    "late": [
        [one for one in ONE_SECOND if one[1] != 0],
        [one for one in ONE_SECOND if one[1] == 0],
    ],
    "parted_soon": [ONE_SECOND[:2], ONE_SECOND[2:]],
    "parted": [ONE_SECOND[:8], ONE_SECOND[8:]],
    "two_topics": [TWO_TOPICS],
    "two_topics_parted": [TWO_TOPICS[:6], TWO_TOPICS[6:]],
    "drs_at_once": [DRS_SECOND],
    "drs_parted_soon": [DRS_SECOND[:2], DRS_SECOND[2:]],
    "drs_parted": [DRS_SECOND[:8], DRS_SECOND[8:]],
    "drs_counted": [[*drs([row("t", 0, "INSERT", "1", "a", 9, 90, 1)]), *RESENT, *RESENT], RESENT],
    "ddl": [DDL],
    "retyped": [RETYPED[:2], RETYPED[2:]],
    "retyped_at_once": [RETYPED[:2]],
    "timeless": [TIMELESS[:2], TIMELESS[2:]],
    "timeless_at_once": [TIMELESS],
}  # fmt: skip
# Tables of the same shape are shards of one: each model takes seconds, even with few rows.
SHARDS = {
    "canal_order": [
        "at_once", "late", "parted_soon", "parted", "two_topics", "two_topics_parted",
    ],
    "drs_order": ["drs_at_once", "drs_parted_soon", "drs_parted"],
}  # fmt: skip
JOINED = {name: model for model, names in SHARDS.items() for name in names}


def declare(_: Any, project: Path) -> None:
    """Write the models."""
    models, histories = (project / "models" / one / "moments" for one in ("current", "history"))
    columns = [SourceColumn("id", "bigint", True), SourceColumn("v", "varchar(9)", False)]
    tables = {}
    for name in TABLES:
        feed = feed_of(name)
        key = [] if name in BAGS else ["id"]
        tables[name] = SourceTable(
            feed, FEEDS_OF_TABLES[feed], "mysql", "moments", None, name, columns, key
        )
        if name not in JOINED:
            write_table(tables[name], models)
    write_history(tables["drs_counted"], histories)
    for model, names in SHARDS.items():
        pattern = rf"moments\.({'|'.join(names)})"
        joined = join_shards([tables[name] for name in names], f"moments__{model}", pattern)
        write_table(joined, models)
        write_history(joined, histories)


def feed_of(table: str) -> str:
    """Return the feed of a table."""
    return DRS_FEED if table.startswith("drs_") else FEED


def rows_of_batches() -> list[list[BronzeRow]]:
    """Return the new rows of each run, for all tables."""
    offsets = Offsets()
    rows: list[list[BronzeRow]] = [[] for _ in range(max(map(len, TABLES.values())))]
    for name, batches in TABLES.items():
        key = {"pkNames": None} if name in BAGS else {}
        for number, batch in enumerate(batches):
            for topic, partition, message in batch:
                value = json.dumps({**message, **key, "table": name}).encode()
                one = offsets.row(feed_of(name), f"moments-{name}-{topic}", partition, AT, value)
                if name.startswith("timeless"):
                    # Kafka has no timestamp for this message.
                    one = (*one[:4], None, *one[5:])
                rows[number].append(one)
    return rows


PART = Part(FEEDS_OF_TABLES, rows_of_batches(), {0: declare})


def rows_of_shard(spark: Any, kind: str, name: str, columns: str, where: str = "true") -> list[Any]:
    """Return a shard's rows in its current table or its history, sorted."""
    where = f"shard = 'moments.{name}' and {where}"
    return rows_of(spark, f"{kind}.moments__{JOINED[name]}", columns, where)


def rows_of(spark: Any, table: str, columns: str, where: str = "true") -> list[Any]:
    """Return a table's rows, sorted."""
    found = spark.sql(f"select {columns} from {table} where {where} order by all").collect()
    return [tuple(map(str, one)) for one in found]


@pytest.mark.parametrize(
    "name",
    [
        "at_once", "late", "parted_soon", "parted",
        "drs_at_once", "drs_parted_soon", "drs_parted",
    ],
)  # fmt: skip
def test_within_a_second_the_producer_says_what_came_first(built: Any, name: str) -> None:
    assert rows_of_shard(built, "current", name, "id, v") == DUE
    assert rows_of_shard(built, "history", name, "id, v", "_is_current") == DUE
    ended = "id, v, unix_timestamp(_valid_to)"
    assert rows_of_shard(built, "history", name, ended, "id in (2, 9) and v = 'b'") == [
        ("2", "b", str(START + 20)), ("9", "b", str(START + 20)),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["two_topics", "two_topics_parted"])
def test_truncations_of_two_topics_are_in_the_order_of_their_moments(built: Any, name: str) -> None:
    assert rows_of_shard(built, "current", name, "id, v") == [("6", "a")]
    columns = "id, unix_timestamp(_valid_from), unix_timestamp(_valid_to)"
    due = {"1": (10, 15), "2": (11, 15), "3": (12, 15), "4": (13, 15), "5": (16, 20)}
    assert rows_of_shard(built, "history", name, columns, "not _is_current") == [
        (id_, str(START + begin), str(START + end)) for id_, (begin, end) in due.items()
    ]


def test_a_statement_that_comes_late_counts_nothing_again(built: Any, project: Path) -> None:
    """As when a client was killed and its statement continues in the server."""
    counted = [("1", "a", "3"), ("2", "a", "1")]
    assert rows_of(built, "current.moments__counted", "id, v, _row_count") == counted
    folder = project / "target" / "run" / "changelake" / "models" / "current" / "moments"
    merge = (folder / "moments__counted.sql").read_text()
    assert "merge into" in merge
    built.sql(merge)
    assert rows_of(built, "current.moments__counted", "id, v, _row_count") == counted


def test_what_is_sent_again_behind_its_truncation_counts_once(built: Any) -> None:
    counted = [("1", "a", "1")]
    assert rows_of(built, "current.moments__drs_counted", "id, v, _row_count") == counted
    history, now = "history.moments__drs_counted", "_is_current"
    assert rows_of(built, history, "id, v, _row_count", now) == counted


def test_statements_of_one_second_in_two_topics_are_in_the_order_of_their_capture(
    built: Any,
) -> None:
    found = built.sql(
        "select ddl from silver.schema_changes where kafka_topic like 'moments-ddl-%'"
        " order by change_number"
    )
    assert [row.ddl for row in found.collect()] == [message["sql"] for _, _, message in DDL]


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("retyped", "varchar(40)"), ("retyped_at_once", "varchar(20)"),
        ("timeless", "varchar(40)"), ("timeless_at_once", "varchar(40)"),
    ],
)  # fmt: skip
def test_the_newest_type_is_that_of_the_last_message(built: Any, name: str, due: str) -> None:
    """Whatever times the message has, or if it has none."""
    (table,) = (one for one in seen_tables(built) if (one.database, one.table) == ("moments", name))
    assert {column.name: column.type_text for column in table.columns}["v"] == due
    drift = built.sql(
        f"select column_type from silver.column_drift where model = 'moments__{name}'"
    )
    assert [row.column_type for row in drift.collect()] == [due]
    seen = built.sql(f"select last_seen_at from silver.source_columns where table_name = '{name}'")
    rows = seen.collect()
    assert rows and all(row.last_seen_at for row in rows)
