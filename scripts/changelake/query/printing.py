"""Prints the rows of a statement."""

import io
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import ConsoleOptions
from rich.table import Table
from rich.text import Text

from changelake.core.errors import UserError
from changelake.core.terminal import Terminal
from changelake.core.words import number
from changelake.query import rows

# A table is laid out before its first line is printed, which takes half a millisecond a row.
MOST_ROWS = 10_000


def print_result(result: rows.Result, style: str, console: Terminal | None = None) -> None:
    """Print the rows of a statement.

    Args:
        result: columns and rows.
        style: `table`, which has the first rows alone, `csv` or `json`.
        console: where a table goes; by default standard output.
    """
    names, lines = result
    if not names:
        return
    if style == "table":
        _print_table(names, lines, console)
    else:
        _write_exact(names, lines, style)
    sys.stdout.flush()


def _write_exact(names: list[str], lines: Iterator[str], style: str) -> None:
    # what one_line_errors() spells out for people would be another value here
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="strict")
    try:
        _write(names, lines, style)
    except UnicodeEncodeError as error:
        raise UserError(
            f"standard output's encoding {error.encoding} lacks a letter of a value: set"
            " PYTHONIOENCODING=utf-8"
        ) from None


def _write(names: list[str], lines: Iterator[str], style: str) -> None:
    if style == "json":
        for line in lines:
            sys.stdout.write(line + "\n")
    else:
        sys.stdout.write(rows.csv_line(names) + "\n")
        for line in lines:
            cells = [rows.cell(value) for _, value in rows.parse(line)]
            sys.stdout.write(rows.csv_line(cells) + "\n")


def _print_table(names: list[str], lines: Iterator[str], console: Terminal | None) -> None:
    parsed = [rows.parse(line) for line in islice(lines, MOST_ROWS + 1)]
    has_more = len(parsed) > MOST_ROWS
    del parsed[MOST_ROWS:]
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for index, name in enumerate(names):
        numbers = [row[index][1] for row in parsed if row[index][1] is not None]
        is_number = bool(numbers) and all(isinstance(value, rows.Number) for value in numbers)
        # Never cut: a value that is too long for its column goes on in the next line.
        table.add_column(name, overflow="fold", justify="right" if is_number else "left")
    for row in parsed:
        table.add_row(*(_table_cell(value) for _, value in row))
    console = console or Terminal()
    if not console.is_terminal:
        # In a file or a pipe every row is one line, however long.
        console.width = max(console.measure(table, options=_unbounded(console)).maximum, 1)
    console.print(table)
    text = number(len(parsed), "row")
    if has_more:
        text = f"the first {text}: --format csv or json prints all"
    console.print(text, highlight=False, soft_wrap=True)


def _unbounded(console: Terminal) -> ConsoleOptions:
    return console.options.update(width=1_000_000, max_width=1_000_000)


def _table_cell(value: Any) -> str | Text:
    text = rows.cell(value)
    return Text("null", style="dim") if text is None else text
