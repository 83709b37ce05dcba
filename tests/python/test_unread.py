"""Which bronze messages a run parses: each exactly once, whatever clocks, topics and runs do."""

import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from changelake.build.dbt import Build
from changelake.landing.bronze import MAX_COMMITS
from unread import NOW, Unread

pytestmark = pytest.mark.e2e

FEED, FORMAT = "unread", "cloudcanal_json"
FEEDS_OF_TABLES = {FEED: FORMAT}


@pytest.fixture(scope="module")
def unread(spark: Any, project: Path) -> Unread:
    """A lake whose first batch landed while the clock was years ahead."""
    made = Unread(spark, project, FORMAT, FEED)
    ahead = NOW.replace(year=2031)
    made.land(("Orders", 0, range(5)), ("orders", 0, range(100)), at=ahead)
    made.build()
    return made


def test_topics_that_differ_in_case_share_nothing(unread: Unread) -> None:
    unread.land(("Orders", 0, range(5, 9)), ("orders", 0, range(100, 105)), ("Orders", 1, range(3)))
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


def test_a_clock_that_was_ahead_hides_no_message(unread: Unread) -> None:
    unread.land(("orders", 0, range(105, 107)), at=NOW - datetime.timedelta(days=400))
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


def test_a_run_without_news_appends_nothing(unread: Unread) -> None:
    before = Counter(unread.parsed())
    unread.build()
    assert Counter(unread.parsed()) == before


def test_a_statement_that_comes_late_appends_nothing(unread: Unread) -> None:
    """As when a client was killed and its statement continues in the server."""
    unread.land(("orders", 0, range(107, 110)))
    statement = unread.compiled()
    assert unread.spark.sql(statement).count() == 3
    unread.build()
    assert unread.spark.sql(statement).count() == 0
    assert unread.parsed() == sorted(unread.landed)


def test_new_rows_come_by_one_statement(unread: Unread) -> None:
    """Also into a table from an earlier version that lacks a column."""
    events = f"silver.{unread.format}_events"
    unread.spark.sql(
        f"alter table {events} set tblproperties ('delta.columnMapping.mode' = 'name')"
    )
    unread.spark.sql(f"alter table {events} drop column message_number")
    unread.land(("added", 0, range(3)))
    unread.build()
    assert unread.parsed() == sorted(unread.landed)
    assert "message_number" in unread.spark.table(events).columns
    # dbt-spark would create this table, and Spark would analyze the statement again.
    assert not unread.spark.catalog.tableExists(f"{unread.format}_events__dbt_tmp")


def test_bronze_tells_how_many_messages_a_version_brought(unread: Unread) -> None:
    def landed(since: int) -> int | None:
        return unread.bronze.landed_between(since, unread.bronze.version())

    since = unread.bronze.version()
    assert landed(since) == 0
    unread.land(("orders", 0, range(110, 112)))
    unread.land(("orders", 0, range(112, 115)))
    unread.spark.sql(f"alter table delta.`{unread.bronze.path}` set tblproperties ('noted' = 'so')")
    assert (landed(since), landed(since + 1), landed(since + 2)) == (5, 3, 0)
    # The table was recreated, or the version is too old to be worth looking at.
    assert landed(since + 9) is None
    assert landed(since - MAX_COMMITS) is None


@pytest.mark.parametrize("since", [pytest.param("1000", marks=pytest.mark.thorough), "0"])
def test_where_bronze_has_not_kept_its_changes_offsets_decide(unread: Unread, since: str) -> None:
    """As in the first run on a lake from an earlier version, and in the run after it."""
    properties = f"set tblproperties ('changelake_changes_since' = '{since}')"
    unread.spark.sql(f"alter table delta.`{unread.bronze.path}` {properties}")
    last = max(offset for topic, _, offset in unread.landed if topic == "Orders")
    unread.land(("Orders", 0, range(last + 1, last + 3)), (f"new {since}", 0, range(2)))
    assert ("table_changes" in unread.compiled()) == (since == "0")
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


def test_a_rest_of_some_days_loses_nothing(unread: Unread) -> None:
    """Delta alone does not show versions that are older than the files that it would remove."""
    unread.land(("rest of days", 0, range(1)))
    unread.land(("rest of days", 0, range(1, 3)))
    unread.age(20 * 24 * 60 * 60)
    unread.land(("rest of days", 0, range(3, 4)))
    assert "table_changes" in unread.compiled()
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


@pytest.mark.thorough
def test_a_long_rest_without_news_reads_nothing_again(unread: Unread) -> None:
    """Nor does upkeep in the meantime; the first new messages are found by their offsets."""
    events, bronze = f"silver.{unread.format}_events", unread.bronze.path
    unread.spark.sql(f"update {events} set parse_batch = parse_batch - 30 * bigint(86400000)")
    for _ in range(2):
        assert "where false" in unread.compiled()
        unread.spark.sql(f"alter table delta.`{bronze}` set tblproperties ('a' = 'b')")
    unread.land(("long rest", 0, range(3)))
    assert "left join" in unread.compiled()
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


@pytest.mark.parametrize("commits", [3, pytest.param(12, marks=pytest.mark.thorough)])
def test_where_bronze_has_lost_its_log_offsets_decide(unread: Unread, commits: int) -> None:
    """As after a long rest, even if a clock that was ahead makes it look like no rest at all."""
    topic = f"rest {commits}"
    unread.land((topic, 0, range(1)))
    unread.build()
    ahead = int((NOW.replace(year=2040) + datetime.timedelta(days=commits)).timestamp() * 1000)
    events = f"silver.{unread.format}_events"
    last = unread.spark.sql(f"select max(parse_batch) from {events}").first()[0]
    unread.spark.sql(f"update {events} set parse_batch = {ahead} where parse_batch = {last}")
    path = unread.bronze.path
    every = "set tblproperties ('delta.checkpointInterval' = '1')"
    unread.spark.sql(f"alter table delta.`{path}` {every}")
    read = unread.spark.sql(f"describe history delta.`{path}` limit 1").first().version
    for offset in range(1, commits + 1):
        unread.land((topic, 0, range(offset, offset + 1)))
    assert "table_changes" in unread.compiled()
    for file in (Path(path) / "_delta_log").glob("*.json"):
        if file.stem.isdigit() and int(file.stem) <= read:
            file.unlink()
    unread.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    assert "table_changes" not in unread.compiled()
    unread.build()
    assert unread.parsed() == sorted(unread.landed)


def test_events_that_are_built_anew_count_on(unread: Unread) -> None:
    """The clock was ahead, and downstream tables have seen batches from that time."""
    events = f"silver.{unread.format}_events"
    ahead = int(NOW.replace(year=2041).timestamp() * 1000)
    counts = "silver.message_counts_by_day"
    unread.spark.sql(
        f"create table {counts} using delta as select '{unread.format}' as format,"
        f" cast(null as date) as landed_date, {ahead} as last_batch"
    )
    try:
        built = Build(unread.spark, "local", lambda node: None).invoke(
            "run", "--full-refresh", "--select", f"{unread.format}_events"
        )
    finally:
        unread.spark.sql(f"drop table {counts}")
    assert [(node.name, node.message) for node in built.failed] == []
    (first,) = unread.spark.sql(f"select min(parse_batch) from {events}").first()
    assert first > ahead
    assert unread.parsed() == sorted(unread.landed)
