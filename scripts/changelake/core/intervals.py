"""How often something is done, as people write it."""

import re

from changelake.core.errors import UserError

_SECONDS = {
    "days?|d": 86_400,
    "hours?|h": 3600,
    "minutes?|min|m": 60,
    "seconds?|s": 1,
    "milliseconds?|ms": 0.001,
}
_PART = re.compile(rf"(\d+) *(?:{'|'.join(f'({unit})' for unit in _SECONDS)})(?![a-z])")


def interval_seconds(text: str, option: str) -> float:
    """Return the seconds of a text such as `1 minute 30 seconds`, or `1m30s`.

    Args:
        text: numbers and units.
        option: the option that it was given for.

    Raises:
        UserError: it is not an interval.
    """
    if not re.fullmatch(rf"(?:{_PART.pattern} *)+", text.strip()):
        raise UserError(
            f"{option} {text}: write numbers and units, like '10 seconds', '1 minute' or '30s'"
        )
    lengths = list(_SECONDS.values())
    # the unit's group comes after the number's
    return sum(int(part[1]) * lengths[(part.lastindex or 0) - 2] for part in _PART.finditer(text))
