"""The rows of a query as exact JSON texts, and as the texts of their cells."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

# Python's own datetime knows neither year 0 nor 10000 and loses one of the hours when clocks are
# turned back, so Spark writes all values as text.
JSON_OPTIONS = {
    "ignoreNullFields": "false",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "dateFormat": "yyyy-MM-dd",
    "timeZone": "UTC",
    "locale": "en-US",
}
# A statement's columns, and its rows as JSON objects.
Result = tuple[list[str], Iterator[str]]
Row = list[tuple[str, Any]]
# A decimal as Java writes it when it is small: `0E-18`, `1.000E-7`.
_SMALL = re.compile(r"\dE-\d")


class Number(str):
    """A JSON number with all its digits."""

    def __new__(cls, text: str) -> "Number":
        # Doubles of 1E-300 stay as they are; a decimal has 38 digits at most.
        _, mark, exponent = text.partition("E-")
        plain = mark and len(exponent) <= 2 and int(exponent) <= 38
        return super().__new__(cls, format(Decimal(text), "f") if plain else text)


def parse(line: str) -> Row:
    """Return the names and values of a row; numbers keep their digits, names may repeat."""
    pairs = json.loads(
        line,
        parse_int=Number,
        parse_float=Number,
        parse_constant=Number,
        object_pairs_hook=_Pairs,
    )
    return list(pairs)


class _Pairs(list[tuple[str, Any]]):
    """The fields of a JSON object in their order."""


def spell_out(line: str) -> str:
    """Return a JSON object with its small decimals written without an exponent."""
    return dump(_Pairs(parse(line))) if _SMALL.search(line) else line


def dump(value: Any) -> str:
    """Return a parsed value as JSON again, with the very same digits."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, _Pairs):
        fields = (f"{json.dumps(k, ensure_ascii=False)}:{dump(v)}" for k, v in value)
        return "{" + ",".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ",".join(dump(item) for item in cast(list[Any], value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def cell(value: Any) -> str | None:
    """Return a value as a table or CSV shows it; None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str) else dump(value)


def csv_line(cells: Sequence[str | None]) -> str:
    """Return a line of CSV in which null is empty and an empty text is `""`."""
    return ",".join(_csv_field(text) for text in cells)


def _csv_field(text: str | None) -> str:
    if text is None:
        return ""
    if text == "":
        return '""'
    out = io.StringIO()
    # the writer quotes a line's end only if it is its own
    csv.writer(out, lineterminator="\r\n").writerow([text])
    return out.getvalue().removesuffix("\r\n")


def unique_names(names: Sequence[str]) -> list[str]:
    """Return column names of which no two are the same: a JSON object cannot hold two."""
    taken: set[str] = set(names)
    seen: set[str] = set()
    result: list[str] = []
    for name in names:
        number, unique = 2, name
        while unique in seen or (unique != name and unique in taken):
            unique, number = f"{name}_{number}", number + 1
        seen.add(unique)
        result.append(unique)
    return result


def spark_rows(frame: "DataFrame") -> Iterator[str]:
    """Give the rows of a Spark data frame, an exact JSON object each.

    Args:
        frame: the data frame; its columns' names must differ, if only in case.
    """
    from pyspark.sql import functions as f

    # Spark finds a column by its name in any case
    places = [f"_{place}" for place in range(len(frame.columns))]
    columns = [
        _convert(f.col(place), field.dataType).alias(field.name)
        for place, field in zip(places, frame.schema.fields, strict=True)
    ]
    if not columns:
        return
    lines = frame.toDF(*places).select(f.to_json(f.struct(*columns), JSON_OPTIONS).alias("row"))
    for row in lines.toLocalIterator():
        yield spell_out(row[0])


def _convert(column: "Column", kind: "DataType") -> "Column":
    """Turn what `to_json` writes inexactly, or not at all, into what it writes well."""
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    if isinstance(kind, t.MapType) and _needs_text(kind.keyType, kind.valueType):
        # The keys of an object are texts; `to_json` would write a date as a number of days.
        entries = f.transform(
            f.map_entries(column),
            lambda entry: f.struct(
                _key_text(entry["key"], kind.keyType).alias("key"),
                _convert(entry["value"], kind.valueType).alias("value"),
            ),
        )
        return f.when(column.isNotNull(), f.map_from_entries(entries))
    if isinstance(kind, t.ArrayType) and _is_nested(kind.elementType):
        return f.transform(column, lambda item: _convert(item, kind.elementType))
    if isinstance(kind, t.StructType) and any(_is_nested(field.dataType) for field in kind):
        fields = [_convert(column[field.name], field.dataType).alias(field.name) for field in kind]
        return f.when(column.isNotNull(), f.struct(*fields))
    if isinstance(kind, t.YearMonthIntervalType | t.DayTimeIntervalType):
        return column.cast("string")
    return column


def _is_nested(kind: "DataType") -> bool:
    from pyspark.sql import types as t

    return isinstance(
        kind,
        t.MapType | t.ArrayType | t.StructType | t.YearMonthIntervalType | t.DayTimeIntervalType,
    )


def _needs_text(key: "DataType", value: "DataType") -> bool:
    from pyspark.sql import types as t

    return not isinstance(key, t.StringType) or _is_nested(value)


def _key_text(column: "Column", kind: "DataType") -> "Column":
    from pyspark.sql import functions as f
    from pyspark.sql import types as t

    if isinstance(kind, t.BinaryType):
        return f.base64(column)
    if isinstance(kind, t.TimestampType):
        return f.date_format(column, JSON_OPTIONS["timestampFormat"])
    if isinstance(kind, t.TimestampNTZType):
        return f.date_format(column, JSON_OPTIONS["timestampNTZFormat"])
    return column.cast("string")
