"""The names of columns in current and history tables."""

from collections.abc import Iterable

from changelake.onboarding.tables import shortened

# Longer than databases have them; the view of a table of many columns has room for them.
LONGEST_COLUMN = 255
# The names of state_metadata() and history_metadata(), and what stands beside these in a statement.
METADATA = (
    "_undecodable", "_committed_at", "_feed", "_kafka_topic", "_kafka_partition", "_kafka_offset",
    "_row_count", "_operation", "_valid_from", "_valid_to", "_is_current", "_key",
    "_source_position", "_is_deleted", "_batch", "_present", "_row_index", "_row_change",
    "_changed_at", "_captured_at", "_message_number", "_content", "_last_position", "_is_spread",
    "_is_boundary", "_is_last", "_sequence", "_epoch", "_place", "_is_move",
)  # fmt: skip


def column_names(columns: Iterable[str]) -> dict[str, str]:
    """Return, by the source's name, a name that the current table can have.

    Names of the metadata get `_src` put before them; of two that differ only in case the later gets
    `__2` behind it, since Delta and Spark know no case. Overlong names end with a hash.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for source in columns:
        short = shortened(source, LONGEST_COLUMN)
        name = f"_src{short}" if short.lower() in METADATA else short
        number = 2
        while _without_case(name) in taken:
            name = f"{short}__{number}"
            number += 1
        taken.add(_without_case(name))
        names[source] = name
    return names


def _without_case(name: str) -> str:
    # As Java's equalsIgnoreCase() has it, letter by letter, first in capitals: `ſ` is an `s` then,
    # and `ı` an `i`, which they are not in lower case; and `İ` is an `i` without its dot above.
    letters = (letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(one.lower()[0] for one in letters)
