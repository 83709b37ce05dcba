"""The names that current and history tables and their columns can have."""

import hashlib
from collections.abc import Iterable

from changelake.core.macros import macro_names

# Longer than databases have them; the view of a table of many columns has room for them.
MAX_COLUMN_LENGTH = 255
# The names of state_metadata() and history_metadata(), and what stands beside these in a statement.
METADATA = (
    "_key", "_undecodable", "_is_current", "_place",
    *macro_names("state/current", "state_metadata"),
    *macro_names("state/history", "history_metadata"),
)  # fmt: skip


def shortened(name: str, length: int, whole: str = "") -> str:
    """Return a name of at most this many characters: a longer one ends with a hash of the whole.

    Args:
        name: the name as it would be.
        length: how many characters there is room for.
        whole: what the name stands for, where that tells more than the name.

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

    Names of the metadata get `_src` put before them; of two that differ only in case the later gets
    `__2` behind it, since Delta and Spark know no case. Overlong names end with a hash.
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
    # As Java's equalsIgnoreCase() has it, letter by letter, first in capitals: `ſ` is an `s` then,
    # and `ı` an `i`, which they are not in lower case; and `İ` is an `i` without its dot above.
    letters = (letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(one.lower()[0] for one in letters)
