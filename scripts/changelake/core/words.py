"""Numbers as a person reads them, and names as one may have meant them."""

import difflib
from collections.abc import Iterable, Sequence


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def listed(names: Sequence[str], most: int) -> str:
    """Return names in a row, of many the first ones and how many more there are.

    >>> listed(["a", "b"], 2), listed(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units.

    >>> [duration(one) for one in (-1.5, 0.25, 61, 3 * 3600, 90_000)]
    ['-1.5 s', '0.2 s', '1 min 1 s', '3 h', '1 d 1 h']
    """
    if abs(seconds) < 60:
        return f"{seconds:.0f} s" if abs(seconds) >= 10 else f"{seconds:.1f} s"
    sign, left = "-" * (seconds < 0), round(abs(seconds))
    parts: list[str] = []
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        if left >= size or parts:
            count, left = divmod(left, size)
            parts.append(f"{count} {unit}" if count else "")
    return sign + " ".join(part for part in parts[:2] if part)


def size(count: float) -> str:
    """Return a number of bytes in the unit that fits it.

    >>> size(999), size(1_250_000)
    ('999 B', '1.2 MB')
    """
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:,.1f} TB"


def nearest(name: str, known: Iterable[str], likeness: float = 0.8) -> str | None:
    """Return the name that somebody may have meant, whatever its letters' case; None if none is.

    Args:
        name: what was written.
        known: the names that there are.
        likeness: how alike two names have to be, from 0 to 1.

    >>> nearest("Canal", ["canal", "maxwell"]), nearest("mysql", ["canal", "maxwell"])
    ('canal', None)
    """
    by_small = {one.lower(): one for one in known}
    found = difflib.get_close_matches(name.lower(), by_small, n=1, cutoff=likeness)
    return by_small[found[0]] if found else None
