"""The output of `make demo`: one table per dialect, and all of it fits."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from changelake.core.feeds import FORMATS
from changelake.core.terminal import Terminal
from changelake.dev.demo_report import (
    FOLLOWED,
    SHOWN,
    TABLES,
    Shown,
    shortened,
    tables_to_show,
)
from changelake.query import rows

PROJECT = Path(__file__).parents[2]
SAMPLES = PROJECT / "models" / "current" / "samples"


def test_a_table_of_each_dialect_is_shown() -> None:
    assert TABLES.keys() == set(FORMATS)
    followed = {(one, table) for one, _, table in FOLLOWED}
    for format_id, table in TABLES.items() | followed:
        assert f"ref('{format_id}_events')" in (SAMPLES / f"{table}.sql").read_text()


def test_the_readme_shows_the_demo_as_it_is() -> None:
    count = 0
    for path in (PROJECT / "seeds" / "samples").glob("*_messages.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            count += len(list(csv.DictReader(file)))
    readme = (PROJECT / "README.md").read_text()
    for line in (
        f"{count} new messages published to {len(FORMATS)} topics, one per dialect",
        f"{count} messages (",
        f"events of {len(FORMATS)} dialects and {len(SHOWN)} tables built",
    ):
        assert f" s  {line}" in readme


def test_no_row_is_shown_twice() -> None:
    followed = {table: one for one, _, table in FOLLOWED}
    shown = tables_to_show()
    assert followed.keys().isdisjoint(shown.values())
    # Each dialect has either a table or a change.
    assert shown.keys() | set(followed.values()) == set(FORMATS)


@pytest.mark.parametrize("width", [80, 100])
def test_a_table_fits(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    values = {
        "id": rows.Number("18446744073709551615"), "name": "王小明 🎁" * 9, "note": None,
        "text": "two\nlines \x1b[31m", "long": "x" * 200, "last": "y" * 30, "none": "z" * 90,
    }  # fmt: skip

    class Lake:
        def run(self, statement: str) -> tuple[list[str], Iterator[str]]:
            pairs = ",".join(f'"{name}":{rows.dump(value)}' for name, value in values.items())
            return list(values), iter(["{" + pairs + "}"])

    lake: Any = Lake()
    shown = Shown(Terminal(width=width), lake)
    shown.table("select …")
    said = capsys.readouterr().out
    assert all(cell_len(line) <= width for line in said.splitlines())
    head, _, row, rest = said.splitlines()
    assert row.startswith("18446744073709551615   王小明 🎁王小明") and "null" in row
    assert "two⏎lines \\x1b[31m" in row
    # All columns are either shown or named.
    assert (head + " " + rest.removeprefix("and ").replace(",", "")).split() == list(values)


def test_a_message_is_cut_where_it_says_so() -> None:
    assert shortened('{"a": 1}') == '{"a": 1}'
    long = '{"schema": {"type": "struct"}, "payload": {"op": "u", "x": "' + "y" * 900 + '"}}'
    cut = shortened(long)
    assert cut.startswith('{"schema": …, "payload": {"op": "u"') and cut.endswith("y…")
