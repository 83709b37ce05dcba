"""A renamed column stays one column, in each dialect that sends the statement."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import contract_messages
from bronze_rows import BronzeRow, Offsets, append_to_bronze
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.model_columns import declared
from changelake.onboarding.model_files import write_table
from changelake.onboarding.seen import look_at_alters, look_at_values, seen_tables

pytestmark = pytest.mark.thorough

AT = datetime.datetime(2026, 3, 1, 8)
# DMS sends the table's columns instead of a statement. debezium_avro is read by Debezium's parser,
# with schemas from a registry.
NO_STATEMENT = {"dms_json", "debezium_avro"}
FORMATS = [
    one
    for one in contract_messages.WRITERS
    if "ddl" not in contract_messages.LACKS.get(one, ()) and one not in NO_STATEMENT
]
# Avro encodes the length of a text, so the databases' names are as long as `shop`.
DATABASES = {one: f"db{number:02}" for number, one in enumerate(FORMATS)}
FEEDS_OF_TABLES = {f"renames_{one}": one for one in FORMATS}
BEFORE = {"id": "1", "name": "a", "none": None}
AFTER = {"id": "2", "label": "b", "none": None}
RENAME = "alter table `orders` rename column `name` to `label`"


def rows(offsets: Offsets, format_id: str, change: str, row: Any) -> list[BronzeRow]:
    """Return a change in the dialect's messages."""
    feed = f"renames_{format_id}"
    values = [
        contract_messages.as_bytes(value)
        for _, value in contract_messages.WRITERS[format_id](change, None, row)
    ]
    return [
        offsets.row(feed, feed, 0, AT, bytes(value.replace(b"shop", DATABASES[format_id].encode())))
        for value in values
        if value
    ]


@pytest.fixture(scope="module")
def models(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The models after a run that has followed the statement."""
    ensure_bronze(spark)
    offsets = Offsets()
    models = project / "models" / "current" / "renames"
    feeds = [Feed(feed, one, (feed,)) for feed, one in FEEDS_OF_TABLES.items()]

    def run(changes: list[tuple[str, Any]]) -> None:
        for format_id in FORMATS:
            new = [one for change in changes for one in rows(offsets, format_id, *change)]
            append_to_bronze(spark, format_id, new)
        with (tmp_path_factory.mktemp("renames") / "log").open("w") as log:
            built = build_pending(spark, "local", feeds, Console(file=log, width=300))
        assert [(one.name, one.message) for one in built.failed + built.failed_tests] == []

    run([("insert", BEFORE)])
    tables = [one for one in seen_tables(spark) if one.feed in FEEDS_OF_TABLES]
    look_at_values(spark, tables)
    look_at_alters(spark, tables)
    for table in tables:
        table.key = ["id"]
        write_table(table, models)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(contract_messages, "DDL", RENAME)
        patched.setattr(contract_messages, "ROW", AFTER)
        run([("ddl", None), ("insert", AFTER)])
    yield models
    for file in models.iterdir():
        file.unlink()


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_renamed_column_is_followed(spark: Any, models: Path, format_id: str) -> None:
    table = f"{DATABASES[format_id]}__orders"
    columns = declared(models / f"{table}.sql").get("columns", {})
    assert set(columns) == set(BEFORE)
    assert isinstance(columns["name"], dict)
    assert columns["name"].get("source") == ["label", "name"]
    found = spark.sql(f"select id, name from current.{table} order by id").collect()
    assert [(str(row.id), row.name) for row in found] == [("1", "a"), ("2", "b")]
