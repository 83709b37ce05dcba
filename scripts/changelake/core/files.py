"""Reads files that a person gives, and writes files so that they are never half written."""

import contextlib
import errno
import os
import uuid
from collections.abc import Iterable
from pathlib import Path

from changelake.core.errors import UserError, os_reason


def write_whole(path: Path, text: str) -> None:
    """Write a text as write_lines() does."""
    write_lines(path, (text,))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Replace a UTF-8 file atomically: a full disk or a kill leaves the old one.

    The lines, with their line ends, are written to a temporary file beside it, synced, and renamed
    over it. A link stays a link, and a device or a pipe is written to directly. A missing directory
    is created.

    Raises:
        OSError: it cannot be written; the error names the file.
    """
    if _is_special(path):
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(path)
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):
            beside.chmod(path.stat().st_mode)
        beside.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # what a write raises names no file
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def check_writable(path: Path) -> None:
    """Check before a long operation that write_whole() can write a file, without changing it.

    Raises:
        OSError: it cannot.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not _is_special(path):
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = _beside(path)
        beside.touch()
        beside.unlink()


def writable(file: Path, option: str) -> Path:
    """Return a file's absolute path (dbt changes the directory), if the file can be written.

    Args:
        file: the file.
        option: the option that it was given for.

    Raises:
        UserError: it cannot be written.
    """
    file = absolute_path(file)
    try:
        check_writable(file)
    except OSError as error:
        raise UserError(
            f"{option} {file} cannot be written: {os_reason(error)}: name another file"
        ) from None
    return file


def read_input(file: Path, option: str, encoding: str = "utf-8") -> str:
    """Return the text of a file that a person has given.

    Args:
        file: the file.
        option: the option that it was given for.
        encoding: `utf-8`, or `utf-8-sig` to leave out a byte order mark.

    Raises:
        UserError: it cannot be read, or is not UTF-8.
    """
    try:
        return file.read_text(encoding=encoding)
    except OSError as error:
        raise UserError(f"{option} {file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{option} {file} cannot be read: it is not UTF-8") from None


def absolute_path(path: Path | str) -> Path:
    """Return a path as an absolute one, `~` expanded.

    Raises:
        UserError: it begins with `~` and what is no user of this machine.
    """
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise UserError(f"{path}: {Path(path).parts[0]} has no home directory here") from None


def _is_special(path: Path) -> bool:
    # A device or a pipe, which cannot be replaced. Checked before links are resolved: /dev/stdout
    # can be a link to a pipe, whose name is not a path.
    return path.exists() and not path.is_file()


def _beside(path: Path) -> Path:
    # A new name each time: leftovers of a kill, and other processes, are not in the way. Shortened,
    # since the file's own name may have the maximum length.
    return path.with_name(f".{path.name[:40]}.{uuid.uuid4().hex[:12]}.tmp")
