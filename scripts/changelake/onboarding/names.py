"""The names that current and history tables and their columns can have."""

import hashlib
from collections.abc import Iterable

from changelake.core.macros import macro_names

# Longer than any database allows, and short enough for the view of a table with many columns.
MAX_COLUMN_LENGTH = 255
# The names of state_metadata() and history_metadata(), and others that statements use beside them.
METADATA = (
    "_key", "_undecodable", "_is_current", "_place",
    *macro_names("state/current", "state_metadata"),
    *macro_names("state/history", "history_metadata"),
)  # fmt: skip


def shortened(name: str, length: int, whole: str = "") -> str:
    """Return a name of at most this many characters: a longer one is cut and ends with a hash.

    Args:
        name: the full name.
        length: the maximum length.
        whole: what to hash instead, if it tells more than the name.

    >>> shortened("a_long_name", 11)
    'a_long_name'
    >>> shortened("a_very_very_long_name", 20)
    'a_very__ed63c0a0cc02'
    """
    if len(name) <= length:
        return name
    digits = hashlib.sha256((whole or name).encode()).hexdigest()[:12]
    return f"{name[: length - len(digits) - 1]}_{digits}"


def column_names(columns: Iterable[str]) -> dict[str, str]:
    """Return, by the source's name, a name that the current table can have.

    Names of the metadata are prefixed with `_src`; of two that differ only in case, the later gets
    the suffix `__2`, since Delta and Spark ignore case. Overlong names end with a hash.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for source in columns:
        short = shortened(source, MAX_COLUMN_LENGTH)
        name = f"_src{short}" if _without_case(short) in METADATA else short
        number = 2
        while _without_case(name) in taken:
            name = shortened(f"{short}__{number}", MAX_COLUMN_LENGTH)
            number += 1
        taken.add(_without_case(name))
        names[source] = name
    return names


def _without_case(name: str) -> str:
    # Like Java's equalsIgnoreCase(), letter by letter and through upper case: that makes `ſ` an `s`
    # and `ı` an `i`, which lower case alone does not; and `İ` an `i` without the dot above.
    letters = (letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(one.lower()[0] for one in letters)
