"""The time zones of feeds: times without a zone in messages are local to their source."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import AT, append_to_bronze, bronze_row
from canal import canal_message
from changelake.build.dbt import Build
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.model_files import write_table
from changelake.onboarding.tables import SourceColumn, SourceTable

pytestmark = pytest.mark.e2e

# By feed: its zone, and 02:30 there in UTC, on the day when Berlin's clocks go from 2 to 3.
ZONES = {
    "zone_none": ("", "2026-03-29 02:30:00"),
    "zone_it's": ("Asia/Shanghai", "2026-03-28 18:30:00"),
    "zone_here": ("Asia/Shanghai", "2026-03-28 18:30:00"),
    "zone_west": ("-03:30", "2026-03-29 06:00:00"),
    "zone_dst": ("Europe/Berlin", None),
}
COLUMNS = [SourceColumn("id", "bigint", True), SourceColumn("at", "timestamp", False)]
# the feeds of each table
TABLES = {"all": list(ZONES), "one_zone": ["zone_it's", "zone_here"], "no_zone": ["zone_none"]}


@pytest.fixture(scope="module")
def built(spark: Any, project: Path) -> Iterator[Any]:
    """The built tables, with feeds of several zones in the seed."""
    ensure_bronze(spark)
    seed = project / "seeds" / "feeds.csv"
    before = seed.read_text()
    seed.write_text(
        before + "".join(f"{feed},{feed},,canal,{zone}\n" for feed, (zone, _) in ZONES.items())
    )
    models = project / "models" / "current" / "zones"
    rows = []
    for number, (table, feeds) in enumerate(TABLES.items()):
        source = SourceTable("zone_none", "canal", "mysql", "zones", None, table, COLUMNS, ["id"])
        write_table(source, models)
        model = models / f"zones__{table}.sql"
        text = model.read_text()
        assert "['zone_none']" in text
        model.write_text(text.replace("['zone_none']", repr(feeds)))
        for id_, feed in enumerate(ZONES):
            data = [{"id": str(id_), "at": "2026-03-29 02:30:00"}]
            value = canal_message("INSERT", "zones", table, 1_700_000_000_000, data)
            rows.append(bronze_row(feed, feed, 0, number, AT, json.dumps(value).encode()))
    append_to_bronze(spark, "canal", rows)
    build = Build(spark, "local", lambda node: None)
    try:
        for command in (
            ("seed", "--select", "feeds", "operation_codes", "source_types"),
            ("run", "--select", "canal_events", "current.zones"),
        ):
            done = build.invoke(*command)
            assert [(node.name, node.message) for node in done.failed] == []
        yield spark
    finally:
        for file in models.iterdir():
            file.unlink()
        seed.write_text(before)
    assert not build.invoke("seed", "--select", "feeds").failed


@pytest.mark.parametrize("table", TABLES)
def test_a_time_is_local_to_its_feed(built: Any, table: str) -> None:
    found = built.sql(f"select _feed, cast(at as string) from current.zones__{table}").collect()
    assert {tuple(row) for row in found} == {(feed, ZONES[feed][1]) for feed in TABLES[table]}


def test_a_corrected_zone_asks_for_a_rebuild(built: Any, project: Path) -> None:
    seed = project / "seeds" / "feeds.csv"
    before = seed.read_text()
    build = Build(built, "local", lambda node: None)
    try:
        seed.write_text(before.replace("canal,Europe/Berlin", "canal,Asia/Shanghai"))
        build.invoke("seed", "--select", "feeds")
        refused = build.invoke("run", "--select", "current.zones")
        assert [node.name for node in refused.failed] == ["zones__all"]
        assert (
            "the time zone for feed zone_dst of current.zones__all was built as Europe/Berlin and"
            " is declared as Asia/Shanghai: rebuild the table with dbt build --target local"
            " --full-refresh --select zones__all"
        ) in refused.failed[0].message
        assert not build.invoke("run", "--full-refresh", "--select", "zones__all").failed
        query = "select cast(at as string) from current.zones__all where _feed = 'zone_dst'"
        assert built.sql(query).collect() == [("2026-03-28 18:30:00",)]
    finally:
        seed.write_text(before)
