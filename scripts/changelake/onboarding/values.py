"""What the values of a column look like, and the declaration that this suggests."""

from dataclasses import astuple, dataclass, replace
from typing import Any

# Spark's decimals have no more digits.
MAX_PRECISION = 38


@dataclass(frozen=True)
class Values:
    """What the non-null values of a column look like, over all seen events.

    Attributes:
        count: how many there are.
        integers, numbers, booleans, dates, instants, epochs: whether all are such.
        datetimes: whether all are dates, with or without a time.
        objects: whether all begin like a JSON object.
        letters: whether any has a letter.
        base64, hex: whether all can be read as such; with few values that can be chance.
        whole_digits, fraction_digits: the maximum of digits before and after a number's point.
        significant_digits: the maximum in a number, without zeros at either end.
        kinds: the BSON types of a field of a MongoDB collection.
    """

    count: int = 0
    integers: bool = False
    numbers: bool = False
    booleans: bool = False
    dates: bool = False
    datetimes: bool = False
    instants: bool = False
    epochs: bool = False
    objects: bool = False
    letters: bool = False
    base64: bool = False
    hex: bool = False
    whole_digits: int = 0
    fraction_digits: int = 0
    significant_digits: int = 0
    kinds: tuple[str, ...] = ()

    def with_those(self, other: "Values") -> "Values":
        """Return what these and other values look like together."""
        if not self.count or not other.count:
            return self if self.count else other

        def both(one: Any, two: Any) -> Any:
            if isinstance(one, tuple):
                kinds: set[str] = {*one, *two}
                return tuple(sorted(kinds))
            return one and two if isinstance(one, bool) else max(one, two)

        pairs = list(zip(astuple(self), astuple(other), strict=True))[1:]
        together = Values(self.count + other.count, *(both(*pair) for pair in pairs))
        return replace(together, letters=self.letters or other.letters)


def bson_type(kinds: tuple[str, ...]) -> str:
    """Return the one BSON type that holds all values of a field exactly, else `mixed`.

    >>> bson_type(("int", "double")), bson_type(("long", "double"))
    ('double', 'mixed')
    """
    for name, held in (
        ("long", {"int", "long"}),
        ("double", {"int", "double"}),
        ("decimal", {"int", "long", "decimal"}),
    ):
        if name in kinds and set(kinds) <= held:
            return name
    return kinds[0] if len(set(kinds)) == 1 else "mixed"


def decimal_of(values: Values) -> str:
    """Declare a column of numbers by the digits that they have."""
    fits = values.whole_digits + values.fraction_digits <= MAX_PRECISION
    return f"decimal({MAX_PRECISION},{values.fraction_digits})" if fits else "string"


def infer(values: Values, is_key: bool = False) -> str:
    """Declare a column by its values alone.

    Args:
        values: what they look like.
        is_key: the column is one of the key. Of a text `1.10` is another key than `1.1`, of a
            decimal the same one: two rows would become one.
    """
    if not values.count:
        return "string"
    if values.booleans:
        return "boolean from exact"
    if values.epochs:
        return "timestamp from epoch_seconds"
    # not every text that reads as a number later is one: 01067
    if values.integers and values.whole_digits <= 18:
        return "bigint from exact"
    if values.numbers and not (is_key and not values.integers):
        decimal = decimal_of(values)
        return decimal if decimal == "string" else f"{decimal} from exact"
    if values.dates:
        return "date"
    if values.datetimes:
        return "timestamp_ntz"
    if values.instants:
        return "timestamp"
    return "string"
