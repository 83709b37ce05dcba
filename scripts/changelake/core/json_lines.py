"""Facts about a lake that the scripts record for its models, as JSON lines: a file per day."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from changelake.core import settings

KEPT_DAYS = 90


def append_lines(name: str, target: str, lines: Iterable[dict[str, Any]]) -> None:
    """Append lines to today's file, and remove files older than KEPT_DAYS.

    A model reads them with the macro `json_lines`. In an object store nothing is written, since
    files there cannot be appended to. A failed write is ignored: the work it records is done.

    Args:
        name: what they are about; the table of the source `monitoring` has this name.
        target: the profile's target: each has its own files.
        lines: the lines; timestamps in UTC.
    """
    folder = settings.local_path(settings.location("monitoring", name, target))
    if folder is None:
        return
    today = datetime.now(timezone.utc).date()
    file = folder / f"{today}.jsonl"
    text = "".join(f"{json.dumps(line, default=_text)}\n" for line in lines)
    # a full disk, for one
    with contextlib.suppress(OSError):
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            _remove_old(folder, today - timedelta(KEPT_DAYS))
        # In one write, since another process may append too. A full disk can cut it short: the next
        # line must not follow half of one.
        data = text.encode()
        with file.open("ab", buffering=0) as out:
            fcntl.flock(out, fcntl.LOCK_EX)
            before = os.fstat(out.fileno()).st_size
            if out.write(data) < len(data):
                out.truncate(before)


def _remove_old(folder: Path, last: date) -> None:
    for old in folder.glob("*.jsonl"):
        if old.stem <= str(last):
            # another process may remove it too
            old.unlink(missing_ok=True)


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
