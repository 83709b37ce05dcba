"""What the scripts write down about a lake, for the models that read it: lines of JSON, by day."""

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
    """Append lines to the file of today, and remove the files that are older than KEPT_DAYS.

    A model reads them by the macro `json_lines`. A lake in a store has none: it has no appending.
    Where they cannot be written there are none either: what they are about is done already.

    Args:
        name: what they are about; the table of the source `monitoring` has this name.
        target: the profile's target, each of which has its own.
        lines: the lines; moments are written as UTC's.
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
        # In one piece, since another process may write too; and whole, or half a line of a disk
        # that fills would have the next one behind it.
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
