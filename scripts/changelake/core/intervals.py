"""How often something is done, as people write it and Spark reads it."""

import re

from changelake.core.errors import UserError

_SECONDS = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1, "millisecond": 0.001}
_PART = re.compile(r"(\d+) +(day|hour|minute|(?:milli)?second)s?")


def interval_seconds(text: str, option: str) -> float:
    """Return the seconds of a text such as `1 minute 30 seconds`.

    Args:
        text: numbers and units.
        option: the option that it was given for.

    Raises:
        UserError: it is no such text.
    """
    if not re.fullmatch(rf"(?:{_PART.pattern} *)+", text.strip()):
        raise UserError(
            f"{option} {text}: write numbers and units, like '10 seconds' or '1 minute'"
        )
    return sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
