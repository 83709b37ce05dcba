"""Random rows, and random changes of them, for Hypothesis."""

import datetime
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from random import Random
from typing import Any

from hypothesis import strategies as st

from changes import COLUMNS, KEY, UTC, Column, Stream, Values

Step = tuple[str, int, int, Values]
KEYS = 12
EXACT = Context(prec=70)
SIZES = {"tiny": 8, "small": 16, "medium": 24, "": 32, "big": 64}


def _integers(column: Column) -> st.SearchStrategy[int]:
    size = SIZES[column.base.removesuffix("int")]
    return (
        st.integers(0, 2**size - 1)
        if column.unsigned
        else st.integers(-(2 ** (size - 1)), 2 ** (size - 1) - 1)
    )


def _decimals(column: Column) -> st.SearchStrategy[Decimal]:
    digits, scale = column.arguments
    most = 10**digits - 1
    return st.integers(-most, most).map(
        lambda unscaled: Decimal(unscaled).scaleb(-scale, context=EXACT)
    )


def _texts(column: Column) -> st.SearchStrategy[str]:
    (most,) = column.arguments or (300,)
    # A database's text cannot hold half of a surrogate pair.
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=most)


def _bytes(column: Column) -> st.SearchStrategy[bytes]:
    (most,) = column.arguments or (300,)
    return st.binary(max_size=most)


def _moments(column: Column) -> st.SearchStrategy[datetime.datetime]:
    (digits,) = column.arguments or (0,)
    # Since 1992 no hour has come twice in the dialects' zones; before, their texts are ambiguous.
    first, last = (
        (datetime.datetime(1000, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999))
        if column.base == "datetime"
        else (datetime.datetime(1992, 1, 1), datetime.datetime(2038, 1, 19, 3, 14, 6))
    )
    zone = UTC if column.base == "timestamp" else None
    unit = 10 ** (6 - digits)
    return st.datetimes(first, last).map(
        lambda at: at.replace(microsecond=at.microsecond // unit * unit, tzinfo=zone)
    )


def _times(column: Column) -> st.SearchStrategy[datetime.timedelta]:
    unit = 10 ** (6 - (column.arguments or (0,))[0])
    most = (838 * 3600 + 59 * 60 + 58) * 1_000_000 // unit
    return st.integers(-most, most).map(lambda count: datetime.timedelta(microseconds=count * unit))


def _json(_: Column) -> st.SearchStrategy[str]:
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(st.characters(exclude_categories=["Cs"]))
    )
    trees = st.recursive(
        leaves,
        lambda one: st.lists(one) | st.dictionaries(st.text('abç."', max_size=3), one),
        max_leaves=6,
    )
    return trees.map(lambda value: json.dumps(value, ensure_ascii=False))


def _sets(column: Column) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(column.labels)).map(
        lambda members: tuple(one for one in column.labels if one in members)
    )


STRATEGIES: dict[str, Any] = {
    **{f"{size}int": _integers for size in SIZES},
    "decimal": _decimals,
    "float": lambda _: st.floats(width=32, allow_nan=False, allow_infinity=False),
    "double": lambda _: st.floats(allow_nan=False, allow_infinity=False),
    "char": lambda _: st.text("abc华é'\"\\", min_size=1, max_size=20),
    "varchar": _texts,
    "text": _texts,
    "enum": lambda column: st.sampled_from(column.labels),
    "set": _sets,
    "json": _json,
    "varbinary": _bytes,
    "blob": _bytes,
    "bit": lambda column: st.integers(0, 2 ** column.arguments[0] - 1),
    "date": lambda _: st.dates(datetime.date(1000, 1, 1)),
    "datetime": _moments,
    "timestamp": _moments,
    "time": _times,
    "year": lambda _: st.integers(1901, 2155),
}  # fmt: skip


def rows(columns: Iterable[Column]) -> st.SearchStrategy[Values]:
    """Return rows without their key."""
    return st.fixed_dictionaries(
        {one.name: st.none() | STRATEGIES[one.base](one) for one in columns if one.name != KEY}
    )


@st.composite
def steps(draw: Any, columns: Iterable[Column]) -> list[Step]:
    """Return the steps to take: a kind, a key, another key, and values for these columns."""
    kinds = st.sampled_from(["change", "part", "move", "delete"])
    keys = st.integers(1000, 1000 + KEYS)
    return draw(st.lists(st.tuples(kinds, keys, keys, rows(columns)), min_size=20, max_size=40))


def take(todo: list[Step], stream: Stream) -> None:
    """Apply the steps to the table, as far as their rows exist."""
    for kind, key, other, row in todo:
        if key not in stream.rows:
            stream.insert(key, row)
        elif kind == "delete":
            stream.delete(key)
        elif kind == "move" and other not in stream.rows:
            stream.update(key, {KEY: other})
        elif kind == "part":
            stream.update(key, dict(list(row.items())[::5]))
        else:
            stream.update(key, row)


# By type: a wider type that holds all its values, and Spark's type for it.
WIDER = {
    "tinyint": ("smallint", "smallint"),
    "tinyint unsigned": ("int unsigned", "bigint"),
    "smallint": ("int", "int"),
    "smallint unsigned": ("decimal(20,4)", "decimal(20,4)"),
    "mediumint": ("bigint", "bigint"),
    "int": ("bigint", "bigint"),
    "int unsigned": ("bigint unsigned", "decimal(20,0)"),
    "decimal(10,2)": ("decimal(20,4)", "decimal(20,4)"),
    "decimal(5,0)": ("decimal(38,10)", "decimal(38,10)"),
    "char(40)": ("varchar(200)", "string"),
    "varchar(20)": ("text", "string"),
    "date": ("datetime(6)", "timestamp_ntz"),
    "datetime": ("datetime(6)", "timestamp_ntz"),
    "datetime(3)": ("datetime(6)", "timestamp_ntz"),
    "timestamp": ("timestamp(6)", "timestamp"),
}


def altered(random: Random, columns: Sequence[Column]) -> list[Column]:
    """Return the columns after an `alter table` that adds, drops and widens some of them."""
    found = list(columns)
    for one in random.sample(found[1:], 2):
        found.remove(one)
    for place in random.sample([i for i, one in enumerate(found) if one.type in WIDER], 4):
        one = found[place]
        wider, spark = WIDER[one.type]
        found[place] = replace(one, type=wider, spark=spark, like=_like(wider) or one.name)
    for one in random.sample(COLUMNS[1:-2], 3):
        name = f"n{sum(1 for other in columns if other.name[0] == 'n')}_{one.name}"
        found.insert(random.randint(1, len(found)), replace(one, name=name, like=one.name))
    return found


def _like(column_type: str) -> str:
    return next((one.name for one in COLUMNS if one.type == column_type), "")
