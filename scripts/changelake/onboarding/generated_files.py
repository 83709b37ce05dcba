"""Writes the files that onboarding generates, and recognizes those that a person has changed.

Names of tables and columns from messages occur in them only as literal() writes them: in the SQL of
models, as Jinja literals. The yml contains none, since dbt renders all texts in it.
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
    r"""Return a text as a Jinja literal on one line, whatever characters it contains.

    It is a Python literal, which Jinja reads in the same way. Unprintable characters are escaped,
    direction marks included, so that a file shows them.

    >>> print(literal("it's {{ x }}\n"))
    "it's {{ x }}\n"
    >>> print(literal(None))
    none
    """
    return "none" if value is None else repr(value)


def literals(values: list[str]) -> str:
    """Return texts as a Jinja list."""
    return f"[{', '.join(map(literal, values))}]"


def read_generated(path: Path) -> str | None:
    """Return the text of a file without its checksum line, None if it does not exist.

    Line ends are as in generated files, whatever the file has.

    Raises:
        UserError: the file is not UTF-8.
    """
    present = _read(path)
    return None if present is None else _own(path, present).replace("\r\n", "\n")


def is_edited(path: Path) -> bool:
    """Say whether a file exists that a person has written, or changed since it was generated."""
    present = _read(path)
    return present is not None and not _is_generated(present)


def is_from_schema(path: Path) -> bool:
    """Say whether a file exists whose columns come from a schema file."""
    header = _header(_read(path) or b"")
    return header is not None and header.group(1) is not None


def write_generated(path: Path, text: str, from_schema: bool = False) -> str:
    """Write a file with its checksum in the first line, unless a person has changed it since.

    An empty file, or one that is a prefix of the new text, was cut short by a full disk: nothing is
    lost by replacing it. Any other difference counts as a person's edit.

    Args:
        path: its suffix is .sql or .yml.
        text: all that follows the checksum.
        from_schema: its columns come from a schema file, which the first line records.

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
        # compared as bytes: it may have been cut within a character
        if not _is_generated(present) and not whole.startswith(_unix(present)):
            _decoded(path, present)
            return "kept"
    write_whole(path, whole.decode())
    return "written"


def insert_lines(path: Path, place: int, lines: str) -> None:
    """Insert lines into a file, whoever wrote it; an unedited file still counts as unedited.

    Args:
        path: a file that is there.
        place: where a line begins, in the text as read_generated() gives it.
        lines: whole lines; their line ends become those of the line before them.

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
    # git may have checked the file out with Windows line ends
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
    # what follows the checksum line
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
