"""What the scripts write down about a lake, for the models that read it: lines of JSON, by day."""

import json
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from changelake.core import settings

KEPT_DAYS = 90


def write_lines(name: str, target: str, lines: Iterable[dict[str, Any]]) -> None:
    """Append lines to the file of today, and remove the files that are older than KEPT_DAYS.

    A model reads them by the macro `json_lines`. A lake in a store has none: it has no appending.

    Args:
        name: what they are about; the table of the source `monitoring` has this name.
        target: the profile's target, each of which has its own.
        lines: the lines; moments are written as UTC's.

    Raises:
        OSError: the file cannot be written.
    """
    folder = settings.local_path(settings.location("monitoring", name, target))
    if folder is None:
        return
    file = folder / f"{datetime.now(timezone.utc):%Y-%m-%d}.jsonl"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _remove_old(folder)
    text = "".join(f"{json.dumps(line, default=_text)}\n" for line in lines)
    # in one piece: another process may write too
    with file.open("ab", buffering=0) as out:
        out.write(text.encode())


def _remove_old(folder: Path) -> None:
    # one file a day on which there was anything
    for old in sorted(folder.glob("*.jsonl"))[: -KEPT_DAYS + 1]:
        old.unlink()


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
