"""A million bad messages, and a very large one, through a whole run."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from canal import canal_message
from changelake.build.runner import build_pending
from changelake.core import settings
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from changelake.landing.job import land
from changelake.onboarding.model_files import write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from conftest import TopicMaker

pytestmark = [pytest.mark.e2e, pytest.mark.damage]

FEED = "faults"
MANY = 1_000_000
LARGE = 50_000_000


def test_a_million_bad_messages_are_rejected_and_counted(
    spark: Any, broker: str, topic: TopicMaker, project: Path
) -> None:
    name = topic.create()
    topic.publish(name, MANY, value=b'{"type": "INSERT"')
    feeds = [Feed(FEED, "canal", (name,))]
    assert [one.messages for one in land(spark, feeds, broker)] == [MANY]
    said = io.StringIO()
    built = build_pending(spark, "local", feeds, Console(file=said, width=300))
    assert built.failed == built.failed_tests == []
    assert [(one.feed, one.reason, one.messages) for one in built.rejected] == [
        (FEED, "malformed_json", MANY)
    ]
    assert len(said.getvalue()) < 5_000
    (counted,) = spark.sql(
        "select outcome, messages, (select count(*) from silver.rejected_messages"
        f" where feed = '{FEED}') as rejects from silver.message_counts where feed = '{FEED}'"
    ).collect()
    assert tuple(counted) == ("rejected", MANY, MANY)


def test_a_message_of_fifty_megabytes_becomes_a_row(spark: Any, project: Path) -> None:
    ensure_bronze(spark)
    data, types = [{"id": "1", "text": "TEXT"}], {"id": "bigint", "text": "longtext"}
    message = canal_message("INSERT", "faults", "large", 1_772_352_000_000, data, mysqlType=types)
    before, after = json.dumps(message).split("TEXT")
    text = f"repeat('0123456789', {LARGE // 10})"
    spark.range(1).selectExpr(
        f"'{FEED}' as feed", "'large' as kafka_topic", "0 as kafka_partition",
        "0L as kafka_offset", "current_timestamp() as kafka_timestamp",
        "cast(null as array<struct<key: string, value: binary>>) as headers",
        "cast(null as binary) as key",
        f"cast(concat(r'{before}', {text}, r'{after}') as binary) as value",
        "current_timestamp() as landed_at", "current_date() as landed_date",
    ).write.format("delta").mode("append").save(settings.bronze("canal"))  # fmt: skip
    columns = [SourceColumn("id", "bigint", True), SourceColumn("text", "longtext", False)]
    table = SourceTable(FEED, "canal", "mysql", "faults", None, "large", columns, ["id"])
    models = project / "models" / "current" / "faults"
    write_table(table, models)
    console = Console(file=io.StringIO())
    built = build_pending(spark, "local", [Feed(FEED, "canal", ("large",))], console)
    for file in models.iterdir():
        file.unlink()
    assert built.failed == built.failed_tests == []
    (row,) = spark.sql(
        "select id, md5(text) as hash, _undecodable from current.faults__large"
    ).collect()
    assert tuple(row) == (1, hashlib.md5(b"0123456789" * (LARGE // 10)).hexdigest(), None)
