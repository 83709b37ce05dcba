"""What several dialects share: how their producers write JSON, numbers and times."""

import base64
import ctypes
import datetime
import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from changes import COLUMNS, Change, Column, Row

Different = dict[str, tuple[str, Callable[[Any], Any]]]
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def gson(value: Any) -> str:
    """Return JSON as Gson writes it: compact, non-ASCII kept, `< = > & '` escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.translate({ord(one): f"\\u{ord(one):04x}" for one in "<=>&'"})


def java_double(value: float) -> str:
    """Return a number as Java's Double.toString writes it."""
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    digits, exponent = f"{Decimal(repr(value)).normalize():E}".split("E")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


def epoch_micros(value: datetime.datetime) -> int:
    """Return the microseconds since 1970; a time without a zone is taken as UTC."""
    moment = value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
    return (moment - _EPOCH) // datetime.timedelta(microseconds=1)


def digits_of(column: Column) -> int:
    """Return the number of fractional digits of a time."""
    return column.arguments[0] if column.arguments else 0


def moment_text(value: datetime.datetime, digits: int = 0) -> str:
    """Return a date and time as MySQL writes it, with this many fractional digits and no zone."""
    whole = value.replace(tzinfo=None, microsecond=0).isoformat(" ")
    return whole + (f".{value.microsecond:06}"[: digits + 1] if digits else "")


def time_text(value: datetime.timedelta, digits: int = 0) -> str:
    """Return a TIME as MySQL writes it, with this many fractional digits."""
    seconds, micros = divmod(abs(value) // datetime.timedelta(microseconds=1), 10**6)
    sign = "-" if value < datetime.timedelta(0) else ""
    whole = f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return whole + (f".{micros:06}"[: digits + 1] if digits else "")


class Bare(str):
    """The text of a number, written into JSON without quotes."""


def json_text(value: Any) -> str:
    """Return a value as JSON; bare numbers keep their digits, non-ASCII text is not escaped."""
    if isinstance(value, Bare):
        return str(value)
    if isinstance(value, dict):
        pairs = (f"{json_text(name)}:{json_text(one)}" for name, one in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def shortest(value: float) -> Decimal:
    """Return the fewest digits that identify a double."""
    return Decimal(repr(value))


def oceanbase_image(
    row: Row | None,
    number: Callable[[Decimal], str] = str,
    double: Callable[[float], Decimal] = Decimal,
) -> dict[str, Any] | None:
    """Return a row as OMS writes it for OceanBase's MySQL mode.

    Args:
        row: columns and values.
        number: writes numbers with a point; `str` does it like Java's BigDecimal.toString.
        double: gives a DOUBLE's digits; `Decimal` gives the full binary value, as in the samples.
    """
    writers: dict[str, Callable[[Column, Any], Any]] = {
        "decimal": lambda _, value: Bare(number(value)),
        "float": lambda _, value: Bare(number(shortest(value))),
        "double": lambda _, value: Bare(number(double(value))),
        "varbinary": lambda _, value: base64_text(value),
        "blob": lambda _, value: base64_text(value),
        "bit": bits_in_base64,
        "set": lambda _, value: ",".join(value),
        "date": lambda _, value: value.isoformat(),
        "time": lambda _, value: _without_zeros(time_text(value, 6)),
        "datetime": lambda _, value: _without_zeros(moment_text(value, 6)),
        "timestamp": lambda _, value: _without_zeros(f"{epoch_micros(value) / Decimal(10**6):f}"),
    }
    if row is None:
        return None
    cells = {}
    for column in row.columns:
        value = row[column.name]
        writer = writers.get(column.base)
        cells[column.name] = value if value is None or not writer else writer(column, value)
    return cells


def oceanbase_type(column: Column) -> str:
    """Return a type as OMS names it: INT64 if 64 bits hold its values, else BIGINT."""
    if column.base == "bigint":
        return "BIGINT" if column.unsigned else "INT64"
    return column.base.upper()


def oceanbase_sequence(change: Change) -> int:
    """Return OMS's sequence: the seconds, then up to five increasing digits."""
    return int(change.at.timestamp()) * 100_000 + change.number


def base64_text(value: bytes) -> str:
    """Return Base64 as text."""
    return base64.b64encode(value).decode()


def bits_in_base64(column: Column, value: int) -> str:
    """Return the bytes of a BIT in MySQL's order, as Base64."""
    return base64_text(value.to_bytes(-(-column.arguments[0] // 8), "big"))


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


SHANGHAI = ZoneInfo("Asia/Shanghai")


def image(row: Row | None, cell: Callable[[Column, Any], Any], only: Iterable[str] = ()) -> Any:
    """Return the row, or `only` some columns, each value passed through `cell`, NULL as None."""
    if row is None:
        return None
    told = row.part(only) if only else row
    return {
        one.name: None if row[one.name] is None else cell(one, row[one.name])
        for one in told.columns
    }


def epoch_millis(value: datetime.datetime) -> int:
    """Return the milliseconds since 1970, rounded down."""
    return epoch_micros(value) // 1000


def java_float(value: float) -> str:
    """Return a single-precision number as Java's Float.toString writes it."""
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    single = ctypes.c_float(value).value
    return java_double(
        float(next(one for one in texts if ctypes.c_float(float(one)).value == single))
    )


def local_text(column: Column, value: datetime.datetime) -> str:
    """Return a DATETIME unchanged and a TIMESTAMP in Shanghai time, with no zone in the text."""
    local = value.astimezone(SHANGHAI) if value.tzinfo else value
    return moment_text(local, digits_of(column))


# By Python type, as MySQL displays the value. There is no text for bytes that all producers use.
PLAIN_TEXTS: dict[type, Callable[[Column, Any], str]] = {
    int: lambda column, value: str(value),
    float: lambda column, value: (java_float if column.base == "float" else java_double)(value),
    Decimal: lambda column, value: f"{value:f}",
    str: lambda column, value: value,
    tuple: lambda column, value: ",".join(value),
    datetime.date: lambda column, value: value.isoformat(),
    datetime.datetime: local_text,
    datetime.timedelta: lambda column, value: time_text(value, digits_of(column)),
}


def plain_text(column: Column, value: Any) -> str:
    """Return the value as MySQL's text: labels, plain decimals, TIMESTAMP in Shanghai time."""
    return PLAIN_TEXTS[type(value)](column, value)


# How Canal writes the types without a plain text: index, bit mask, one character per byte.
CANAL_TEXTS: dict[str, Callable[[Column, Any], str]] = {
    "enum": lambda column, value: str(column.labels.index(value) + 1),
    "set": lambda column, value: str(sum(1 << column.labels.index(one) for one in value)),
    "varbinary": lambda column, value: value.decode("latin-1"),
    "blob": lambda column, value: value.decode("latin-1"),
}


def canal_text(column: Column, value: Any) -> str:
    """Return the value as Canal's text, with all digits of a decimal."""
    return CANAL_TEXTS.get(column.base, plain_text)(column, value)


def canal_sql_type(column: Column) -> int:
    """Return Canal's java.sql.Types code: an unsigned type has that of the next larger one."""
    numbers = {
        "tinyint": -6, "smallint": 5, "mediumint": 4, "int": 4, "bigint": -5, "decimal": 3,
        "float": 7, "double": 8, "char": 1, "varchar": 12, "text": 2005, "enum": 4, "set": -7,
        "json": 12, "varbinary": 2004, "blob": 2004, "bit": -7, "date": 91, "datetime": 93,
        "timestamp": 93, "time": 92, "year": 12,
    }  # fmt: skip
    larger = {"tinyint": 5, "smallint": 4, "int": -5, "bigint": 3} if column.unsigned else {}
    return larger.get(column.base, numbers[column.base])


def of_types(reason: str, known: Callable[[Column, Any], Any], *bases: str) -> Different:
    """Return, for columns of these types, the best value that can be known."""
    return {one.name: (reason, partial(known, one)) for one in COLUMNS if one.base in bases}


# What stays unknown where a dialect does not carry the source's types.
UNTYPED_BYTES = of_types(
    "no type tells Base64 from text", lambda _, value: base64_text(value), "varbinary", "blob"
)
UNTYPED_BITS = of_types("no type tells Base64 from text", bits_in_base64, "bit")
UNTYPED_INSTANTS = of_types(
    "no type tells an instant from a time",
    lambda _, value: value.astimezone(SHANGHAI).replace(tzinfo=None),
    "timestamp",
)
