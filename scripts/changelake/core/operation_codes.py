"""What each dialect's codes of operations mean: seeds/operation_codes.csv, checked."""

import csv
import io

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS

# the operations of each type of event
OPERATIONS = {
    "row": {"snapshot", "insert", "update", "delete"},
    "truncate": {""},
    "schema": {"create", "alter", "drop", "rename", "index", "other"},
    "transaction": {"begin", "commit", "rollback"},
    "heartbeat": {""},
    # counted, but not an event
    "control": {""},
}
_COLUMNS = ["format", "code", "event_type", "operation"]
_NAME = "seeds/operation_codes.csv"


def check_operation_codes() -> None:
    """Check the seed, to which people add the codes of their producers.

    The parsers take its words as they are: a misspelt `delete` would keep the row, and a code
    that two lines have would give each of its events twice.

    Raises:
        UserError: names the file's line and says what to do.
    """
    try:
        text = (settings.REPO / _NAME).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{_NAME} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{_NAME} is not UTF-8: save it as UTF-8") from None
    parse_operation_codes(text)


def parse_operation_codes(text: str) -> None:
    """Check the seed's text, as `check_operation_codes()` does the file.

    Args:
        text: the CSV text.

    Raises:
        UserError: names the line and says what to do.
    """
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    line_of: dict[tuple[str, str], int] = {}
    try:
        if next(rows, None) != _COLUMNS:
            raise UserError(f"{_NAME}, line 1: no header: begin with {','.join(_COLUMNS)}")
        for row in rows:
            where = f"{_NAME}, line {rows.line_num}"
            if not row:
                continue
            if len(row) != len(_COLUMNS):
                raise UserError(f"{where}: write {','.join(_COLUMNS)}")
            format_id, code, event_type, operation = row
            if format_id not in FORMATS:
                raise UserError(f"{where}: unknown format {format_id!r}")
            _check_meaning(event_type, operation, where)
            first = line_of.setdefault((format_id, code), rows.line_num)
            if first != rows.line_num:
                raise UserError(
                    f"{where}: the code {code!r} of {format_id} is in line {first} too: remove one"
                )
    except csv.Error as error:
        raise UserError(f"{_NAME}, line {rows.line_num}: not a line of CSV: {error}") from None


def _check_meaning(event_type: str, operation: str, where: str) -> None:
    if event_type not in OPERATIONS:
        raise UserError(
            f"{where}: unknown event_type {event_type!r}: use one of {', '.join(OPERATIONS)}"
        )
    known = OPERATIONS[event_type]
    if operation not in known:
        use = f"use one of {', '.join(sorted(known))}" if known - {""} else "leave it empty"
        raise UserError(f"{where}: unknown operation {operation!r} of {event_type}: {use}")
