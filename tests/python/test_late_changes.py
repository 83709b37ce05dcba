"""Changes that come late, from another partition, after a truncation, a delete or a tombstone."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import AT, BronzeRow, Offsets
from canal import canal_message
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from compiled_text import compiled_text
from joint_build import Part

pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

FEEDS_OF_TABLES = {"late_canal": "canal", "late_debezium": "debezium"}
BEGIN = int(AT.replace(tzinfo=datetime.timezone.utc).timestamp())
TYPES = {"id": "bigint", "v": "varchar(9)"}
Row = tuple[int, str] | None
Message = tuple[int, dict[str, Any]]


def _image(row: Row) -> dict[str, str] | None:
    """Return a row's image; an empty text is a column that the message does not have."""
    return {"id": str(row[0]), **({"v": row[1]} if row[1] else {})} if row else None


def canal(table: str, partition: int, second: int, before: Row, after: Row) -> Message:
    """Return Canal's message of a change, or of a truncation, which has neither row."""
    kind = "UPDATE" if before and after else "INSERT" if after else "DELETE"
    return partition, canal_message(
        kind if before or after else "TRUNCATE", "late", table, (BEGIN + second) * 1000,
        [_image(after or before)] if before or after else None,
        old=[_image(before)] if before and after else None, mysqlType=TYPES,
        pkNames=None if table in KEYLESS else ["id"],
    )  # fmt: skip


def debezium(
    table: str, partition: int, second: int, op: str, after: Row = None, position: int = 0,
    before: Row = None,
) -> Message:  # fmt: skip
    """Return Debezium's message of a change or of a truncation."""
    source = {
        "version": "3.5.0", "connector": "mysql", "name": "s", "db": "late", "table": table,
        "ts_ms": (BEGIN + second) * 1000, "snapshot": "false" if position else "true",
        "file": "binlog.000009", "pos": position, "row": 0,
    }  # fmt: skip
    images = {"before": _image(before), "after": _image(after)}
    return partition, {"op": op, **images, "source": source, "ts_ms": 0}


KEYLESS = ("counted", "spread")
ONLY_A_KEY = "tags"
ONE, OTHER = (1, "a"), (2, "b")
# By table, the messages of each run.
TABLES: dict[str, list[list[Message]]] = {
    # A table is emptied and loaded again; what is loaded has no position.
    "reloaded": [
        [
            debezium("reloaded", 0, 1, "r", (1, "loaded")),
            debezium("reloaded", 0, 1, "r", (2, "loaded")),
            debezium("reloaded", 1, 10, "u", (1, "changed"), 10),
        ],
        [debezium("reloaded", 0, 60, "t", position=20)],
        [
            debezium("reloaded", 0, 70, "r", (1, "reloaded")),
            debezium("reloaded", 0, 70, "r", (2, "reloaded")),
        ],
    ],
    "reloaded_at_once": [
        [
            debezium("reloaded_at_once", 0, 1, "r", (1, "loaded")),
            debezium("reloaded_at_once", 1, 10, "u", (1, "changed"), 10),
        ],
        [],
        [
            debezium("reloaded_at_once", 0, 60, "t", position=20),
            debezium("reloaded_at_once", 0, 70, "r", (1, "reloaded")),
        ],
    ],
    # One message is sent again behind the next one.
    "repeated": [
        [
            debezium("repeated", 0, 1, "c", (1, "a"), 900),
            debezium("repeated", 0, 2, "u", (1, "b"), 901),
            debezium("repeated", 0, 1, "c", (1, "a"), 900),
        ],
        [],
        [debezium("repeated", 0, 3, "u", (1, "a"), 903)],
    ],
    "tags": [
        [
            debezium("tags", 0, 1, "c", (1, ""), 900),
            debezium("tags", 0, 2, "d", None, 901, before=(1, "")),
            debezium("tags", 0, 1, "c", (1, ""), 900),
        ],
        [],
        [debezium("tags", 0, 3, "c", (1, ""), 903)],
    ],
    # A change without a version, which a truncation ended; another one has it judged again. One row
    # lacks a column, so that images are partial.
    "kept": [
        [
            canal("kept", 0, 4, None, (9, "")),
            canal("kept", 0, 5, None, ONE),
            canal("kept", 0, 6, ONE, ONE),
            canal("kept", 0, 20, None, None),
        ],
        [canal("kept", 0, 30, None, (1, "b"))],
        [canal("kept", 1, 40, None, None)],
    ],
    # A statement that had to wait has an earlier time than the delete before it.
    "waited": [
        [
            canal("waited", 0, 1, None, None),
            canal("waited", 0, 5, None, ONE),
            canal("waited", 0, 8, ONE, None),
            canal("waited", 0, 10, None, (1, "b")),
        ],
        [],
        [canal("waited", 0, 7, (1, "b"), (1, "c"))],
    ],
    # The truncation comes last, and was between the delete and the last insert.
    "counted": [
        [canal("counted", 1, 1, None, ONE)],
        [
            canal("counted", 1, 10, ONE, None),
            canal("counted", 1, 11, None, OTHER),
            canal("counted", 1, 30, None, ONE),
        ],
        [canal("counted", 0, 20, None, None)],
    ],
    # The late change of key 1 is ignored; its tombstone ends in the same run.
    "buried": [
        [canal("buried", 1, 1, None, ONE), canal("buried", 0, 30, ONE, (2, "a"))],
        [canal("buried", 1, 25, ONE, (1, "x"))],
        [canal("buried", 0, 40, (2, "a"), (2, "c"))],
    ],
    "cut": [
        [
            canal("cut", 0, 1, None, (2, "a")),
            canal("cut", 1, 2, None, ONE),
            canal("cut", 0, 10, None, None),
            canal("cut", 1, 20, None, (1, "b")),
        ],
        [],
        [],
    ],
    "spread": [
        [
            canal("spread", 0, 1, None, ONE),
            canal("spread", 1, 2, None, ONE),
            canal("spread", 0, 3, None, ONE),
        ],
        [],
        [],
    ],
}
HISTORIES = ("reloaded", "repeated", "tags", "kept", "waited", "cut", "spread")


def _format_of(messages: list[list[Message]]) -> str:
    return "debezium" if "source" in messages[0][0][1] else "canal"


def rows_of_batches() -> list[list[BronzeRow]]:
    """Return the new rows of each run; each table has a topic."""
    offsets = Offsets()
    return [
        [
            offsets.row(
                f"late_{_format_of(messages)}", f"late.{name}", partition, AT,
                json.dumps(message).encode(),
            )
            for name, messages in TABLES.items()
            for partition, message in messages[number]
        ]
        for number in range(3)
    ]  # fmt: skip


def declare(_spark: Any, project: Path) -> None:
    """Write the models of all tables, as onboarding does."""
    written = project / "models" / "current" / "late"
    for name, messages in TABLES.items():
        key = [] if name in KEYLESS else ["id"]
        columns = [
            SourceColumn(column, kind, column in key)
            for column, kind in TYPES.items()
            if name != ONLY_A_KEY or column in key
        ]
        format_id = _format_of(messages)
        table = SourceTable(
            f"late_{format_id}", format_id, "mysql", "late", None, name, columns, key
        )
        write_table(table, written)
        if name in HISTORIES:
            write_history(table, project / "models" / "history" / "late")
    model = written / "late__buried.sql"
    text = model.read_text()
    assert "'key': ['id']," in text
    model.write_text(text.replace("'key': ['id'],", "'key': ['id'],\n        'tombstone_days': 0,"))


PART = Part(FEEDS_OF_TABLES, rows_of_batches(), {0: declare})
ROWS = {
    "reloaded": [(1, "reloaded"), (2, "reloaded")],
    "reloaded_at_once": [(1, "reloaded")],
    "repeated": [(1, "a")],
    "waited": [(1, "c")],
    "counted": [(1, "a")],
    "buried": [(2, "c")],
    "kept": [],
}


@pytest.mark.parametrize("name", ROWS)
def test_the_rows_are_those_of_the_source(built: Any, name: str) -> None:
    found = built.table(f"current.late__{name}").selectExpr("int(id)", "v").collect()
    assert sorted(tuple(row) for row in found) == ROWS[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("repeated", [("a", 1, 2), ("b", 2, 3), ("a", 3, None)]),
        ("waited", [("a", 5, 8), ("b", 10, 10), ("c", 10, None)]),
        ("kept", [(None, 4, 20), ("a", 5, 20), ("b", 30, 40)]),
        ("tags", [("1", 1, 2), ("1", 3, None)]),
    ],
)
def test_each_version_has_its_own_time(
    built: Any, name: str, expected: list[tuple[str, int, int | None]]
) -> None:
    value = "string(id)" if name == ONLY_A_KEY else "v"
    bounds = [f"int(unix_timestamp({one}) - {BEGIN})" for one in ("_valid_from", "_valid_to")]
    versions = built.table(f"history.late__{name}").orderBy("_kafka_offset")
    assert [tuple(row) for row in versions.selectExpr(value, *bounds).collect()] == expected


def _as_of(built: Any, name: str, place: str) -> list[tuple[int, str]]:
    history = f"adapter.get_relation(none, 'history', 'late__{name}')"
    select = compiled_text(f"select int(id), v from {{{{ as_of({history}, {place}) }}}}")
    return sorted(tuple(row) for row in built.sql(select).collect())


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [({0: 0, 1: 1}, [(1, "b"), (2, "a")]), ({1: 1}, [(1, "b")]), ({0: 1, 1: 1}, [(1, "b")])],
)
def test_a_truncation_that_is_not_reached_hides_no_row(
    built: Any, offsets: dict[int, int], expected: list[tuple[int, str]]
) -> None:
    assert _as_of(built, "cut", f"{offsets=}") == expected


@pytest.mark.parametrize(
    ("position", "expected"),
    [(15, [(1, "changed"), (2, "loaded")]), (20, [(1, "reloaded"), (2, "reloaded")])],
)
def test_rows_that_are_loaded_again_hide_none_from_before(
    built: Any, position: int, expected: list[tuple[int, str]]
) -> None:
    assert _as_of(built, "reloaded", f"position='binlog.000009:{position}:0'") == expected


def test_rows_that_are_counted_over_partitions_have_no_count_at_offsets(built: Any) -> None:
    with pytest.raises(AssertionError, match="counts equal rows of its partitions together"):
        _as_of(built, "spread", "offsets={0: 1}")
