"""Writes the files that onboarding generates, and tells those that a person has changed.

What a message calls its tables and columns stands in them only where literal() has written it: in
the SQL of models, as literals of Jinja. Their yml, whose every text dbt renders, holds none of it.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from changelake.core.errors import UserError
from changelake.core.files import write_whole

_COMMENT = {".sql": "--", ".yml": "#"}
_CHECKSUM = re.compile(
    rb"(?:#|--) written by scripts/onboard\.py( --schema)?, checksum ([0-9a-f]{16})"
)


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
    """Return the text of a file without the line of its checksum, None if it is not there.

    Its lines end as those that are generated do, whatever ends them in the file.

    Raises:
        UserError: the file is not UTF-8.
    """
    present = _read(path)
    return None if present is None else _own(path, present).replace("\r\n", "\n")


def is_edited(path: Path) -> bool:
    """Say whether a file is there that a person has written, or changed since it was written."""
    present = _read(path)
    return present is not None and not _is_generated(present)


def is_from_schema(path: Path) -> bool:
    """Say whether a file is there whose columns a schema file has told."""
    header = _header(_read(path) or b"")
    return header is not None and header.group(1) is not None


def write_generated(path: Path, text: str, from_schema: bool = False) -> str:
    """Write a file with its checksum before it, unless a person has changed it since.

    A file that is the beginning of what is written, or empty, was cut short by a full disk: all
    that it holds stands in the new one. One that began otherwise cannot be told from an edited one.

    Args:
        path: its suffix is .sql or .yml.
        text: all that stands behind the checksum.
        from_schema: a schema file has told of its columns: the first line says so.

    Returns:
        `written`, `unchanged`, or `kept` where it is edited.

    Raises:
        UserError: the file is edited and not UTF-8, which dbt does not read.
    """
    by = "scripts/onboard.py --schema" if from_schema else "scripts/onboard.py"
    header = f"{_COMMENT[path.suffix]} written by {by}, checksum {_checksum(text)}"
    whole = f"{header}\n{text}".encode()
    present = _read(path)
    if present is not None:
        if _unix(present) == whole:
            return "unchanged"
        # in the middle of a character too
        if not _is_generated(present) and not whole.startswith(_unix(present)):
            _decoded(path, present)
            return "kept"
    write_whole(path, whole.decode())
    return "written"


def insert_lines(path: Path, place: int, lines: str) -> None:
    """Put lines into a file, whoever wrote it; one that nobody had edited stays so.

    Args:
        path: a file that is there.
        place: where a line begins, in the text as read_generated() gives it.
        lines: whole lines; they end as the one before them does in the file.

    Raises:
        UserError: the file is not UTF-8.
    """
    text = read_generated(path) or ""
    if not is_edited(path):
        write_generated(path, text[:place] + lines + text[place:], is_from_schema(path))
        return
    present = _read(path) or b""
    whole, own = _decoded(path, present), _own(path, present)
    start = len(whole) - len(own)
    for _ in range(text.count("\n", 0, place)):
        start = whole.index("\n", start) + 1
    if whole[:start].endswith("\r\n"):
        lines = lines.replace("\n", "\r\n")
    write_whole(path, whole[:start] + lines + whole[start:])


def replace_lines(path: Path, others: Mapping[str, str]) -> bool:
    """Replace lines in a file that nobody has edited: all of them or none.

    Args:
        path: the file.
        others: the replacement of each line, both with their line ends.

    Returns:
        Whether each line was there, exactly once; else nothing is changed.
    """
    text = read_generated(path) or ""
    if is_edited(path) or any(text.count(line) != 1 for line in others):
        return False
    for line, other in others.items():
        text = text.replace(line, other)
    write_generated(path, text, is_from_schema(path))
    return True


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _unix(present: bytes) -> bytes:
    # git may have given the lines of a checked out file Windows' ends
    return present.replace(b"\r\n", b"\n")


def _decoded(path: Path, present: bytes) -> str:
    try:
        return present.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 (byte {error.start}): save it as UTF-8, or, if it was cut short,"
            " delete it to have it written again"
        ) from None


def _own(path: Path, present: bytes) -> str:
    # what stands behind the checksum
    text = _decoded(path, present)
    return text.partition("\n")[2] if _header(present) else text


def _is_generated(present: bytes) -> bool:
    header = _header(present)
    return bool(header) and _digest(_unix(present).partition(b"\n")[2]) == header.group(2).decode()


def _header(present: bytes) -> re.Match[bytes] | None:
    return _CHECKSUM.fullmatch(present.partition(b"\n")[0].removesuffix(b"\r"))


def _checksum(text: str) -> str:
    return _digest(text.encode())


def _digest(present: bytes) -> str:
    return hashlib.sha256(present).hexdigest()[:16]
