"""Writes the files that onboarding generates, and tells those that a person has changed.

What a message calls its tables and columns stands in them only where literal() has written it: in
the SQL of models, as literals of Jinja. Their yml, whose every text dbt renders, holds none of it.
"""

import hashlib
import re
from pathlib import Path

from changelake.files import write_whole

_COMMENT = {".sql": "--", ".yml": "#"}
_CHECKSUM = re.compile(r"(?:#|--) written by scripts/onboard\.py, checksum ([0-9a-f]{16})")


def literal(value: str | None) -> str:
    r"""Return the literal of Jinja that is this text, whatever characters it holds, in one line.

    It is Python's, which Jinja reads in the same way. What is not printable is escaped, so that a
    file shows what it holds: direction marks too.

    >>> print(literal("it's {{ x }}\n"))
    "it's {{ x }}\n"
    >>> print(literal(None))
    none
    """
    return "none" if value is None else repr(value)


def literals(values: list[str]) -> str:
    """Return the list of Jinja that these texts are."""
    return f"[{', '.join(map(literal, values))}]"


def read_generated(path: Path) -> str | None:
    """Return the text of a file without the line of its checksum, None if it is not there."""
    present = _read(path)
    return present and present.split("\n", 1)[-1] if _header(present) else present


def is_edited(path: Path) -> bool:
    """Say whether a file is there that a person has written, or changed since it was written."""
    present = _read(path)
    if present is None:
        return False
    header = _header(present)
    return not header or _checksum(present.partition("\n")[2]) != header.group(1)


def write_generated(path: Path, text: str) -> str:
    """Write a file with its checksum before it, unless a person has changed it since.

    A file that is the beginning of what is written, or empty, was cut short by a full disk: all
    that it holds stands in the new one. One that began otherwise cannot be told from an edited one.

    Args:
        path: its suffix is .sql or .yml.
        text: all that stands behind the checksum.

    Returns:
        `written`, `unchanged`, or `kept` where it is edited.
    """
    header = f"{_COMMENT[path.suffix]} written by scripts/onboard.py, checksum {_checksum(text)}"
    whole = f"{header}\n{text}"
    present = _read(path)
    if present == whole:
        return "unchanged"
    if is_edited(path) and not whole.startswith(present or ""):
        return "kept"
    write_whole(path, whole)
    return "written"


def insert_lines(path: Path, place: int, lines: str) -> None:
    """Put lines into a file, whoever wrote it; one that nobody had edited stays so.

    Args:
        path: a file that is there.
        place: where, in the text as read_generated() gives it.
        lines: whole lines.
    """
    text = read_generated(path) or ""
    longer = text[:place] + lines + text[place:]
    if not is_edited(path):
        write_generated(path, longer)
        return
    present = _read(path) or ""
    write_whole(path, present.removesuffix(text) + longer)


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _header(present: str | None) -> re.Match[str] | None:
    return _CHECKSUM.fullmatch((present or "").partition("\n")[0])


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
