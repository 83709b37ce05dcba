"""Suggestions for a relation that does not exist."""

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable

from changelake.core.errors import UserError

_MAX_NAMES = 3


def near_names(name: str, known: Iterable[tuple[str, str]]) -> list[str]:
    """Return the relations whose names are most like a name, the likeliest first.

    >>> known = [("current", "lab__orders"), ("history", "lab__orders"), ("silver", "feeds")]
    >>> near_names("current.orders", known)
    ['current.lab__orders', 'history.lab__orders']
    >>> near_names("feed", known), near_names("curent.lab__orders", known)[:1]
    (['silver.feeds'], ['current.lab__orders'])
    """
    *schemas, table = name.lower().split(".")
    schema = schemas[-1] if schemas else ""

    def likeness(one: tuple[str, str]) -> float:
        # its name, or the last part of it, in this schema before others
        parts = one[1].split("__")
        tails = ["__".join(parts[start:]) for start in range(len(parts))]
        best = max(difflib.SequenceMatcher(None, table, tail).ratio() for tail in tails)
        if not schema:
            # people ask for current tables rather than the tables behind them
            return best + 0.01 * (one[0] == "current")
        return best + 0.1 * difflib.SequenceMatcher(None, schema, one[0]).ratio()

    found = sorted(((likeness(one), one) for one in known), key=lambda one: -one[0])
    return [".".join(one) for alike, one in found if alike >= 0.8][:_MAX_NAMES]


def with_near_names(error: UserError, known: Callable[[], list[tuple[str, str]]]) -> UserError:
    """Return an error with suggestions, if it is about a relation that does not exist.

    Args:
        error: Spark's, in one line.
        known: called in that case for schema and name of each relation.
    """
    found = re.match(
        r"\[TABLE_OR_VIEW_NOT_FOUND\] The table or view (`.*?`) cannot be found\. ", str(error)
    )
    if not found:
        return error
    names: list[str] = []
    with contextlib.suppress(Exception):
        names = near_names(found[1].replace("`", "").removeprefix("spark_catalog."), known())
    do = f"did you mean {' or '.join(names)}?" if names else "scripts/sql.py --tables lists all"
    return UserError(f"the table or view {found[1]} cannot be found: {do}")
