"""The project as a package of another project with its own schemas: integration_tests."""

import json
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from bronze_rows import AT, MILLIS, append_to_bronze, bronze_row
from canal import canal_message
from changelake.landing.bronze import ensure_bronze

pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

PROJECT = Path(__file__).parents[2] / "integration_tests"


def item(code: str, id_: int, price: str, old: dict[str, str] | None = None) -> bytes:
    """Return a row of Canal's."""
    data = [{"id": str(id_), "price": price, "changed_at": "2026-03-01 08:00:00"}]
    types = {"id": "bigint", "price": "decimal(12,2)", "changed_at": "timestamp"}
    message = canal_message(
        code, "warehouse", "items", MILLIS, data, old=[old] if old else None, mysqlType=types
    )
    return json.dumps(message).encode()


def person(code: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> bytes:
    """Return a change of Debezium's."""
    source = {"connector": "postgresql", "db": "crm", "schema": "public", "table": "people"}
    return json.dumps({
        "op": code, "before": before, "after": after, "source": source, "ts_ms": MILLIS
    }).encode()  # fmt: skip


def dbt(*arguments: str) -> list[str]:
    """Run dbt on the other project, and return the names of the nodes that failed."""
    places = ["--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT)]
    done: Any = dbtRunner().invoke(["--quiet", *arguments, *places])
    assert not done.exception, done.exception
    return [
        one.node.name
        for one in getattr(done.result, "results", [])
        if one.status not in ("success", "pass", "no-op")
    ]


def test_another_project_builds_its_tables_with_the_package(spark: Any) -> None:
    ensure_bronze(spark)
    batches = [
        {
            "canal": [item("INSERT", 1, "9.50"), item("INSERT", 2, "0.10")],
            "debezium": [person("c", None, {"id": 1, "name": "Łucja"})],
        },
        {
            "canal": [item("UPDATE", 1, "9.49", {"price": "9.50"}), item("DELETE", 2, "0.10")],
            "debezium": [person("u", {"id": 1, "name": "Łucja"}, {"id": 1, "name": ""})],
        },
    ]
    feeds = {"canal": "warehouse", "debezium": "crm"}
    due = [
        ([("1", "9.50"), ("2", "0.10")], [("1", "Łucja")], ["9.50", "0.10"]),
        ([("1", "9.49")], [("1", "")], ["9.50", "9.49", "0.10"]),
    ]
    assert dbt("deps") == []
    offset = 0
    for batch, (items, people, versions) in zip(batches, due, strict=True):
        for format_id, values in batch.items():
            append_to_bronze(spark, format_id, [
                bronze_row(feeds[format_id], f"package-{format_id}", 0, offset + n, AT, value)
                for n, value in enumerate(values)
            ])  # fmt: skip
        offset += 10
        assert dbt("build") == []
        assert texts(spark, "id, price from cdc_current.warehouse__items") == items
        assert texts(spark, "id, name from cdc_current.crm__people") == people
        assert texts(spark, "id, price from cdc_marts.first_items order by id") == due[0][0]
        found = texts(
            spark, "price from cdc_history.warehouse__items order by id, _valid_from, _is_current"
        )
        assert [price for (price,) in found] == versions
    # The feed's time zone is Asia/Shanghai.
    assert texts(spark, "changed_at from cdc_current.warehouse__items") == [
        ("2026-03-01 00:00:00",)
    ]
    schemas = {row.namespace for row in spark.sql("show schemas").collect()}
    assert schemas >= {"cdc_bronze", "cdc_silver", "cdc_state", "cdc_current", "cdc_history"}
    assert "cdc_monitoring" in schemas
    assert not schemas & {"silver", "state", "current", "history", "monitoring"}

    # Events and bronze have the same number of messages, but one of them twice.
    again = bronze_row("warehouse", "package-canal", 0, 0, AT, batches[0]["canal"][0])
    append_to_bronze(spark, "canal", [again])
    assert set(dbt("build")) >= {"every_message_is_accounted_for"}


def texts(spark: Any, select: str) -> list[tuple[str, ...]]:
    """Return a select's rows as texts."""
    return [tuple(map(str, row)) for row in spark.sql(f"select {select}").collect()]
