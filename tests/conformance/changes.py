# ruff: noqa: E501 - one type per line
"""One table with a column of every type and its changes, independent of any dialect."""

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

Values = dict[str, Any]
UTC = datetime.timezone.utc


@dataclass(frozen=True)
class Column:
    """A column of the source table.

    Attributes:
        name: as in the source.
        type: the full MySQL type: `decimal(10,2)`, `int unsigned`, `enum('a','b')`.
        spark: the type that the current table declares.
        values: boundary values other than NULL: `int` for integers, years and bits, `Decimal`,
            `float`, `str` for texts, labels and JSON, `bytes`, `date`; `datetime`, without a zone
            for DATETIME and in UTC for TIMESTAMP; `timedelta` for TIME; a `tuple` of members for
            SET.
        like: for a column made by an `alter table`, the name of the original column that it
            resembles.
    """

    name: str
    type: str
    spark: str
    values: tuple[Any, ...]
    like: str = ""

    @property
    def base(self) -> str:
        """Return only the name of the type: `decimal`, `int`."""
        return re.split(r"[( ]", self.type)[0]

    @property
    def unsigned(self) -> bool:
        """Return whether it is an unsigned integer."""
        return self.type.endswith(" unsigned")

    @property
    def arguments(self) -> tuple[int, ...]:
        """Return the numbers in the type's parentheses: 10 and 2 for `decimal(10,2)`."""
        found = re.search(r"\(([\d,]+)\)", self.type)
        return tuple(int(one) for one in found[1].split(",")) if found else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of an ENUM or SET, in order."""
        labels = re.findall(r"'((?:[^']|'')*)'", self.type)
        return tuple(one.replace("''", "'").replace("\\\\", "\\") for one in labels)


class Row(Values):
    """A row's values by column name.

    Args:
        columns: those that the table had at the time.
        values: a missing column is NULL.
    """

    def __init__(self, columns: Iterable[Column], values: Mapping[str, Any]) -> None:
        self.columns = tuple(columns)
        super().__init__({one.name: values.get(one.name) for one in self.columns})

    def part(self, names: Iterable[str]) -> "Row":
        """Return only these columns of the row."""
        wanted = set(names)
        return Row((one for one in self.columns if one.name in wanted), self)


@dataclass(frozen=True)
class Change:
    """A change of one row.

    Attributes:
        operation: what happened; a `snapshot` row already existed before the stream began.
        before, after: the whole row, where there is one.
        at: when it was committed, in UTC, in whole seconds.
        number: its place in the stream, starting at 0.
    """

    operation: Literal["snapshot", "insert", "update", "delete"]
    before: Row | None
    after: Row | None
    at: datetime.datetime
    number: int

    @property
    def row(self) -> Row:
        """Return the row after the change, or a deleted row as it was."""
        row = self.after or self.before
        assert row
        return row

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return the columns that the table had at the time."""
        return self.row.columns

    @property
    def changed(self) -> list[str]:
        """Return the columns whose value an update changes."""
        before, after = self.before or {}, self.after or {}
        return [name for name in after if name in before and before[name] != after[name]]


@dataclass(frozen=True)
class Message:
    """What a producer sends to Kafka."""

    value: bytes | None
    key: bytes | None = None


def _at(text: str, utc: bool = False) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if utc else moment


def _moments(*texts: str) -> tuple[datetime.datetime, ...]:
    return tuple(_at(text) for text in texts)


def _instants(*texts: str) -> tuple[datetime.datetime, ...]:
    return tuple(_at(text, utc=True) for text in texts)


def _decimals(*texts: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, texts))


def _time(hours: int, minutes: int, seconds: int, micros: int = 0) -> datetime.timedelta:
    return datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds, microseconds=micros)


TEXTS = (
    "", " ", "plain", "it's \"quoted\" \\ back\\n", "华为 💰 é\u0301", "line\nline\r\n\ttab", "NULL",
    "null", "true", "1.10", '{"a": [1]}', "\u0001\u001f\u007f", "<&>%20\\u0041", " trailing  ",
    "a=b,c;d|e", "0x41", "${usd}${env:HOME}",
)  # fmt: skip
# Spark substitutes variables in the text of a statement unless told not to.
DATABASE = "conformance ${hivevar:d}"
TABLE = "every ${env:HOME} type"
KEY = "id"
COLUMNS = (
    Column(KEY, "bigint", "bigint", ()),
    Column("c_tiny", "tinyint", "tinyint", (-128, 127, 0, -1)),
    Column("c_tiny_u", "tinyint unsigned", "smallint", (255, 0, 128)),
    Column("c_small", "smallint", "smallint", (-32768, 32767, 0)),
    Column("c_small_u", "smallint unsigned", "int", (65535, 0)),
    Column("c_medium", "mediumint", "int", (-8388608, 8388607)),
    Column("c_medium_u", "mediumint unsigned", "int", (16777215, 0)),
    Column("c_int", "int", "int", (-2147483648, 2147483647, 0)),
    Column("c_int_u", "int unsigned", "bigint", (4294967295, 2147483648, 0)),
    Column("c_big", "bigint", "bigint", (-(2**63), 2**63 - 1, 2**53 + 1)),
    Column("c_big_u", "bigint unsigned", "decimal(20,0)", (2**64 - 1, 2**63, 0, 2**63 - 1)),
    Column("c_dec", "decimal(10,2)", "decimal(10,2)",
           _decimals("-99999999.99", "99999999.99", "1.10", "0.00", "-0.01")),
    Column("c_dec0", "decimal(5,0)", "decimal(5,0)", _decimals("-99999", "99999", "0")),
    Column("c_dec38", "decimal(38,10)", "decimal(38,10)",
           _decimals("-9999999999999999999999999999.9999999999",
                     "1234567890123456789012345678.1234567890", "0.0000000001", "0.0000000000")),
    Column("c_dec65", "decimal(65,30)", "string",
           _decimals("-99999999999999999999999999999999999.999999999999999999999999999999",
                     "12345678901234567890123456789012345.100000000000000000000000000001",
                     "-1.500000000000000000000000000000")),
    Column("c_float", "float", "float", (0.0, -1.5, 0.5, 16777216.0)),
    Column("c_double", "double", "double",
           (0.0, -1.5, 1.7976931348623157e308, 2.2250738585072014e-308, 0.1, 123456789.125)),
    Column("c_char", "char(40)", "string", TEXTS[2:6]),
    Column("c_varchar", "varchar(200)", "string", TEXTS),
    Column("c_text", "text", "string", (*TEXTS, "长" * 3000, '\\"' * 900)),
    # As MySQL displays a type: a backslash in a label is doubled.
    Column("c_enum", r"enum('a','B b','c,d','it''s','华','${env:HOME}','b\\n')", "string",
           ("a", "B b", "c,d", "it's", "华", "${env:HOME}", r"b\n")),
    Column("c_set", r"set('x','y z','${usd}','华','\\')", "string",
           ((), ("x",), ("x", "y z", "${usd}"), ("x", "y z", "华"), ("x", "\\"))),
    Column("c_json", "json", "string", ("{}", '[1, 2.50, "华"]', '{"a": null, "b": "\\""}')),
    Column("c_varbinary", "varbinary(16)", "binary",
           (b"", b"\0", b"\xff\0\xfe", "你".encode(), b" \n\r\0", b"\x80", b"\x7f")),
    Column("c_blob", "blob", "binary", (b"", b"\xff\0" * 2000, bytes(range(256)))),
    Column("c_bit1", "bit(1)", "boolean", (0, 1)),
    Column("c_bit8", "bit(8)", "decimal(20,0)", (0b10000001, 0, 255)),
    Column("c_bit64", "bit(64)", "decimal(20,0)", (2**64 - 1, 2**63 + 1, 0, 0x0102030405060708)),
    Column("c_date", "date", "date",
           tuple(datetime.date.fromisoformat(text) for text in
                 ("2026-02-28", "1000-01-01", "9999-12-31", "1969-12-31", "1970-01-01"))),
    Column("c_datetime", "datetime", "timestamp_ntz",
           _moments("2026-03-29 02:30:00", "1000-01-01 00:00:00", "9999-12-31 23:59:59", "1969-12-31 23:59:59")),
    Column("c_datetime3", "datetime(3)", "timestamp_ntz",
           _moments("2026-03-29 02:30:00.123", "1969-12-31 23:59:59.999")),
    Column("c_datetime6", "datetime(6)", "timestamp_ntz",
           _moments("2026-03-29 02:30:00.123456", "9999-12-31 23:59:59.999999", "1000-01-01 00:00:00.000001",
                    "1986-05-04 00:30:00.000001")),
    Column("c_timestamp", "timestamp", "timestamp",
           _instants("2026-03-29 02:30:00", "1970-01-02 00:00:01", "2038-01-19 03:14:07")),
    Column("c_timestamp6", "timestamp(6)", "timestamp",
           _instants("2026-03-29 02:30:00.123456", "1970-01-02 00:00:00.000001", "2026-10-25 01:30:00.9")),
    Column("c_time", "time", "string",
           (_time(0, 0, 0), _time(23, 59, 59), -_time(0, 0, 1), _time(838, 59, 59), -_time(838, 59, 59))),
    Column("c_time6", "time(6)", "string",
           (_time(10, 0, 0, 1), -_time(838, 59, 58, 999999), _time(12, 34, 56, 789000))),
    Column("c_year", "year", "int", (1901, 2155, 2026)),
    Column("odd \"name\" of.a 列's ${usd}", "varchar(20)", "string", ("x", "华")),
    Column("_feed", "int", "int", (1, 2)),
)  # fmt: skip


def limits() -> Iterator[Values]:
    """Return rows without their key that together hold every value of each column, and NULL."""
    most = max(len(one.values) for one in COLUMNS)
    for number in range(most):
        yield {one.name: one.values[number % len(one.values)] for one in COLUMNS if one.values}
    yield {one.name: None for one in COLUMNS if one.values}


def _as_type(column: Column, value: Any) -> Any:
    """Convert a value to the type of its altered column."""
    if column.base == "decimal" and isinstance(value, int):
        return Decimal(value)
    if column.base == "datetime" and type(value) is datetime.date:
        return datetime.datetime.combine(value, datetime.time())
    return value


class Stream:
    """The table's changes, in order, and the columns and rows that they lead to."""

    def __init__(self) -> None:
        self.columns = COLUMNS
        self.rows: dict[int, Row] = {}
        self._news: list[Change] = []
        self._count = 0

    def news(self) -> list[Change]:
        """Return the changes since the last call."""
        news, self._news = self._news, []
        return news

    def alter(self, columns: Iterable[Column]) -> None:
        """Change the columns: rows keep the values of columns that stay; new columns are NULL."""
        self.columns = tuple(columns)
        for key, row in self.rows.items():
            values = {one.name: _as_type(one, row.get(one.name)) for one in self.columns}
            self.rows[key] = Row(self.columns, values)

    def snapshot(self, key: int, row: Values) -> None:
        """Add a row that existed before the stream began."""
        self._add("snapshot", None, {KEY: key, **row})

    def insert(self, key: int, row: Values) -> None:
        """Insert a row."""
        self._add("insert", None, {KEY: key, **row})

    def update(self, key: int, values: Values) -> None:
        """Change some columns of a row, possibly its key."""
        self._add("update", self.rows[key], {**self.rows[key], **values})

    def delete(self, key: int) -> None:
        """Delete a row."""
        self._add("delete", self.rows[key], None)

    def _add(self, operation: Any, before: Row | None, values: Values | None) -> None:
        after = None if values is None else Row(self.columns, values)
        at = datetime.datetime(2026, 3, 29, 0, 59, tzinfo=UTC)
        at += datetime.timedelta(seconds=self._count)
        self._news.append(Change(operation, before, after, at, self._count))
        self._count += 1
        if before:
            del self.rows[before[KEY]]
        if after:
            self.rows[after[KEY]] = after


def fixed_changes(stream: Stream | None = None) -> Iterator[list[Change]]:
    """Return, in two batches, the changes of rows that hold all boundary values."""
    stream = stream or Stream()
    rows = list(limits())
    null = rows[-1]
    for key, row in enumerate(rows[:4], 1):
        stream.snapshot(key, row)
    for key, row in enumerate(rows[4:], 5):
        stream.insert(key, row)
    stream.update(1, rows[5])
    stream.update(2, null)
    stream.update(len(rows), rows[0])
    stream.update(3, {"c_int": 7})
    stream.update(3, {"c_varchar": None})
    stream.update(4, {KEY: 104})
    stream.delete(5)
    stream.delete(6)
    stream.insert(6, rows[3])
    yield stream.news()
    for key in (7, 8, 9):
        stream.update(key, rows[key - 4])
    stream.update(2, {"c_text": "no longer NULL", "c_blob": b"\0"})
    stream.update(3, {one.name: value for one in COLUMNS[20:] for value in one.values[:1]})
    stream.update(104, {KEY: -(2**63)})
    stream.update(-(2**63), {"c_dec": Decimal("5.00")})
    stream.delete(6)
    stream.delete(10)
    stream.insert(10, null)
    stream.insert(5, rows[2])
    yield stream.news()
