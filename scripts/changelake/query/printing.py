"""Prints the rows of a statement."""

import io
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import ConsoleOptions
from rich.table import Table
from rich.text import Text

from changelake.core.errors import UserError
from changelake.core.terminal import Terminal, visible
from changelake.core.words import counted
from changelake.query import rows

# A table is laid out before its first line is printed, which takes half a millisecond a row.
MAX_ROWS = 10_000
# A table whose columns would be narrower, though their values are not, is shown as records.
MIN_READABLE_WIDTH = 12
# what stands between two columns
_GAP = 3


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
    # one_line_errors() escapes characters for people, which would change a value here
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="strict")
    try:
        _write(names, lines, style)
    except UnicodeEncodeError as error:
        raise UserError(
            f"standard output's encoding {error.encoding} lacks a character of a value:"
            " set PYTHONIOENCODING=utf-8"
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
    parsed = [rows.parse(line) for line in islice(lines, MAX_ROWS + 1)]
    has_more = len(parsed) > MAX_ROWS
    del parsed[MAX_ROWS:]
    console = console or Terminal()
    table = _table(names, parsed)
    needed = sum((column.min_width or 0) + _GAP for column in table.columns)
    if not console.is_terminal:
        # In a file or a pipe every row is one line, however long.
        console.width = max(console.measure(table, options=_unbounded(console)).maximum, 1)
    if console.is_terminal and needed > console.width:
        _print_records(names, parsed, console)
    else:
        console.print(table)
    text = counted(len(parsed), "row")
    if has_more:
        text = f"the first {text}: --format csv or json prints all"
    console.print(text, highlight=False, soft_wrap=True)


def _table(names: list[str], parsed: list[rows.Row]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    cells = [[_table_cell(value) for _, value in row] for row in parsed]
    for index, name in enumerate(names):
        numbers = [row[index][1] for row in parsed if row[index][1] is not None]
        is_number = bool(numbers) and all(isinstance(value, rows.Number) for value in numbers)
        widest = max(cell_len(name), *(row[index].cell_len for row in cells), 1)
        # Never cut: a value that is too long for its column goes on in the next line.
        table.add_column(
            name,
            overflow="fold",
            justify="right" if is_number else "left",
            min_width=min(widest, MIN_READABLE_WIDTH),
        )
    for row in cells:
        table.add_row(*row)
    return table


def _print_records(names: list[str], parsed: list[rows.Row], console: Terminal) -> None:
    # A line per value, as MySQL's `\G` and psql's `\x` have it.
    for place, row in enumerate(parsed, 1):
        record = Table(box=None, show_header=False, pad_edge=False)
        record.add_column(style="bold", overflow="fold", max_width=console.width // 2)
        record.add_column(overflow="fold")
        for name, (_, value) in zip(names, row, strict=True):
            record.add_row(name, _table_cell(value))
        console.print(f"row {place}", style="dim")
        console.print(record)
        console.print()


def _unbounded(console: Terminal) -> ConsoleOptions:
    return console.options.update(width=1_000_000, max_width=1_000_000)


def _table_cell(value: Any) -> Text:
    text = rows.cell(value)
    return Text("null", style="dim") if text is None else Text(visible(text))
