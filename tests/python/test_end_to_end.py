"""From a real broker to current tables: every row, before and after a kill."""

import datetime
import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bronze_rows import append_to_bronze, bronze_row
from canal import canal_message
from changelake.build.dbt import Build
from changelake.build.report import BuildResult
from changelake.build.runner import build_pending
from changelake.core import settings
from changelake.core.feeds import Feed
from changelake.landing.job import land
from changelake.onboarding.choosing import choose_tables
from changelake.onboarding.model_files import write_table
from changelake.onboarding.seen import look_at_values, seen_tables
from conftest import TopicMaker
from processes import kill_at_work

# It takes minutes. All of its parts but dbt's snapshots have quicker tests.
pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

TYPES = {
    "id": "bigint unsigned",
    "name": "varchar(40)",
    "price": "decimal(38,10)",
    "paid": "tinyint(1)",
    "at": "datetime(6)",
}
PARTITIONS = 2


class Shop:
    """A table with its rows, and the messages that Canal would write about its changes.

    A row's messages go to the partition of its key's hash, as in Canal; a key change goes to the
    partition of the new key.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.rows: dict[int, dict[str, str | None]] = {}
        self.messages: list[tuple[int, bytes]] = []
        self.clock = 1_700_000_000

    def row(self, key: int) -> dict[str, str | None]:
        """Return a row with unusual values."""
        sign, day = self.chance.choice(["-", ""]), self.chance.randrange(1, 9)
        return {
            "id": str(key),
            "name": self.chance.choice(["华为 'a' \\ \" \n", "", None, "🙂", "x;--", "NULL"]),
            "price": f"{sign}{self.chance.randrange(10**27)}.{self.chance.randrange(10**10):010}",
            "paid": self.chance.choice(["0", "1"]),
            "at": f"2026-03-0{day} 23:59:59.{self.chance.randrange(10**6):06}",
        }

    def say(self, kind: str, data: list[dict[str, Any]], old: list[dict[str, Any]] | None) -> None:
        """Write a message."""
        self.clock += 1
        millis = self.clock * 1000
        value = canal_message(
            kind, "shop", "orders", millis, data, old=old, mysqlType=TYPES, ts=millis + 5
        )
        partition = int(data[0]["id"]) % PARTITIONS
        self.messages.append((partition, json.dumps(value, ensure_ascii=False).encode()))

    def work(self, steps: int) -> None:
        """Change the table."""
        for _ in range(steps):
            choice = self.chance.random()
            key = self.chance.choice(
                [2**64 - 1 - self.chance.randrange(40), self.chance.randrange(60)]
            )
            if key not in self.rows:
                self.rows[key] = self.row(key)
                self.say("INSERT", [self.rows[key]], None)
            elif choice < 0.2:
                self.say("DELETE", [self.rows.pop(key)], None)
            elif choice < 0.3 and key + PARTITIONS * 50 < 2**64 and key + 100 not in self.rows:
                before = self.rows.pop(key)
                self.rows[key + 100] = {**before, "id": str(key + 100)}
                self.say("UPDATE", [self.rows[key + 100]], [{"id": str(key)}])
            else:
                before, after = self.rows[key], self.row(key)
                self.rows[key] = after
                old = {name: value for name, value in before.items() if after[name] != value}
                self.say("UPDATE", [after], [old])


BAD = [b"", b"{", b"[]", b'{"type":"INSERT"}{"type":"INSERT"}', b"\xff{}", b'{"type":"NEW"}']


def current(spark: Any) -> dict[int, tuple[str | None, ...]]:
    """Return the current table's rows as texts, by key."""
    frame = spark.sql(
        "select id, name, string(price), string(paid),"
        " date_format(at, 'yyyy-MM-dd HH:mm:ss.SSSSSS'), _undecodable from current.shop__orders"
    )
    return {int(row[0]): tuple(row[1:]) for row in frame.collect()}


def expected(shop: Shop) -> dict[int, tuple[str | None, ...]]:
    """Return the same from the model in Python."""
    return {
        key: (
            row["name"],
            row["price"],
            row["paid"],
            row["at"],
            None,
        )
        for key, row in shop.rows.items()
    }


def test_every_row_arrives(
    spark: Any, broker: str, topic: TopicMaker, lake: Path, project: Path, tmp_path: Path
) -> None:
    name = topic.create(partitions=PARTITIONS)
    feeds = [Feed("shop", "canal", (name,))]
    console = Console(file=(tmp_path / "log").open("w"))
    shop = Shop(seed=3)

    def publish(bad: bool) -> None:
        for partition, value in shop.messages:
            topic.publish(name, 1, partition, value=value)
        if bad:
            for value in BAD:
                topic.publish(name, 1, 1, value=value)
            topic.publish(name, 1, 1, key=b"k", value=None)

    def build() -> dict[str, int]:
        built = build_pending(spark, "local", feeds, console)
        assert not [node for node in built.failed + built.failed_tests]
        assert {one.feed for one in built.rejected} <= {"shop"}
        return {one.reason: one.messages for one in built.rejected}

    shop.work(300)
    publish(bad=True)
    land(spark, feeds, broker)
    assert build() == {
        "malformed_json": 3,
        "not_a_json_object": 1,
        "not_utf8": 1,
        "unknown_operation": 1,
    }
    tables = choose_tables(seen_tables(spark), ["shop.orders"], None, {})
    look_at_values(spark, tables)
    write_table(tables[0], project / "models" / "current")
    assert build() == {}
    assert current(spark) == expected(shop)
    snapshot = snapshots_of_the_table(spark, project)
    before = snapshot()
    assert before == {key: {True: 1} for key in shop.rows}

    first, shop.messages = len(shop.messages), []
    shop.work(3000)
    publish(bad=False)
    killed = land_and_kill(broker, name, lake, tmp_path)
    land(spark, feeds, broker)
    build()
    assert killed
    assert current(spark) == expected(shop)
    after = snapshot()
    is_open = {key for key, versions in after.items() if True in versions}
    is_closed = {key for key, versions in after.items() if False in versions}
    assert is_open == set(shop.rows)
    assert set(before) - set(shop.rows) <= is_closed <= set(before)
    assert all(count == 1 for versions in after.values() for count in versions.values())
    offsets = spark.sql(
        f"select kafka_partition, kafka_offset from bronze.canal where kafka_topic = '{name}'"
    ).collect()
    assert len(offsets) == len(set(offsets)) == first + len(shop.messages) + len(BAD) + 1

    outcomes = spark.sql(
        "select outcome, sum(messages) as messages from silver.message_counts"
        " where feed = 'shop' group by all"
    )
    assert {row.outcome: row.messages for row in outcomes.collect()} == {
        "events": first + len(shop.messages),
        "rejected": len(BAD),
        "tombstone": 1,
    }
    rejects = spark.sql(
        "select value, reject_reason from silver.rejected_messages where feed = 'shop'"
        " order by kafka_offset"
    )
    assert [(bytes(row.value), row.reject_reason) for row in rejects.collect()] == list(
        zip(
            BAD,
            ["malformed_json", "malformed_json", "not_a_json_object", "malformed_json", "not_utf8",
             "unknown_operation"],
            strict=True,
        )
    )  # fmt: skip


def snapshots_of_the_table(spark: Any, project: Path) -> Callable[[], dict[int, dict[bool, int]]]:
    """Point the project's example of a dbt snapshot at the table; each call takes a snapshot.

    Returns:
        A function that takes one, and returns by key how many versions are open (True) and closed
        (False).
    """
    examples = Path(__file__).parents[2] / "snapshots" / "samples"
    example = examples / "canal_shop__orders_snapshot.yml"
    folder = project / "snapshots"
    folder.mkdir()
    text = example.read_text().replace("canal_shop__orders", "shop__orders")
    (folder / example.name.replace("canal_shop", "shop")).write_text(text)

    def take() -> dict[int, dict[bool, int]]:
        built = Build(spark, "local", lambda node: None).invoke("snapshot")
        assert built.nodes and not built.failed
        rows = spark.sql(
            "select id, dbt_valid_to is null as is_open, count(*) as versions"
            " from history.shop__orders_snapshot group by all"
        ).collect()
        found: dict[int, dict[bool, int]] = {}
        for row in rows:
            found.setdefault(int(row.id), {})[row.is_open] = row.versions
        return found

    return take


def test_a_lost_message_is_found(spark: Any, project: Path) -> None:
    """Some messages are removed from what the test above has built: the accounting must notice."""

    def build(*arguments: str) -> BuildResult:
        built = Build(spark, "local", lambda node: None).invoke(*arguments)
        assert built.nodes and not built.failed
        return built

    def land_beside(offset: int) -> None:
        now = datetime.datetime.now()
        append_to_bronze(spark, "canal", [bronze_row("beside", "beside", 0, offset, now, b"{}")])

    def unaccounted() -> list[str]:
        built = build("build", "--full-refresh", "--select", "message_counts_by_day")
        return [node.name for node in built.failed_tests]

    land_beside(0)
    build("run", "--select", "canal_events")
    # lands when the build has already read bronze
    land_beside(1)
    assert unaccounted() == []
    build("run", "--select", "canal_events")
    version = spark.sql("describe history silver.canal_events limit 1").first().version
    batches = spark.sql("select max(parse_batch) from silver.canal_events where feed = 'shop'")
    for lost in ("feed = 'shop' and kafka_offset = 7", f"parse_batch = {batches.first()[0]}"):
        spark.sql(f"delete from silver.canal_events where {lost}")
        assert unaccounted() == ["every_message_is_accounted_for"]
        spark.sql(f"restore table silver.canal_events to version as of {version}")
    assert unaccounted() == []
    # Messages lost by the newest run count as unread, and are parsed again.
    spark.sql("delete from silver.canal_events where feed = 'beside' and kafka_offset = 1")
    assert unaccounted() == []
    build("run", "--select", "canal_events")
    assert spark.table("silver.canal_events").where("feed = 'beside'").count() == 2
    assert unaccounted() == []


def land_and_kill(broker: str, name: str, lake: Path, tmp_path: Path) -> bool:
    """Land in another process and kill it midway; return whether it was still working."""
    feeds = tmp_path / "feeds.csv"
    feeds.write_text(f"feed,topics,topic_pattern,format,time_zone\nshop,{name},,canal,\n")
    log = lake / "checkpoints" / "shop" / "offsets"
    before = len(list(log.glob("[0-9]*")))
    command = [
        sys.executable, str(Path(__file__).parents[2] / "scripts" / "land.py"),
        "--bootstrap-servers", broker, "--feeds-file", str(feeds),
        "--max-offsets-per-trigger", "100",
    ]  # fmt: skip
    return kill_at_work(
        {"args": command, "env": {**os.environ, settings.HOME_VARIABLE: str(lake)}},
        lambda: len(list(log.glob("[0-9]*"))) > before + 2,
    )
