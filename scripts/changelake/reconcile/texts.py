"""One normalised text per value of a table, database or file: equal texts mean equal values.

A value that its declared type cannot hold keeps its original text, as in `_undecodable`.
"""

import re
from dataclasses import dataclass

from changelake.core.quoting import sql_name, sql_string

NO_VALUE = "(no value has come)"
# the column with the number of equal rows in a table without a key
COUNT = "_row_count"
# What columns of the source may hold, by declared type. Other pairs are not compared: their texts
# can differ although the values do not.
_KINDS: dict[tuple[str, str], str] = {
    ("number", "number"): "number",
    ("number", "text"): "number",
    ("float", "float"): "float",
    ("float", "number"): "float",
    ("float", "text"): "float",
    ("boolean", "boolean"): "boolean",
    ("boolean", "number"): "boolean",
    ("boolean", "text"): "boolean",
    ("date", "date"): "moment",
    ("date", "text"): "moment",
    ("timestamp_ntz", "datetime"): "moment",
    ("timestamp_ntz", "date"): "moment",
    ("timestamp_ntz", "text"): "moment",
    ("timestamp", "instant"): "moment",
    ("binary", "binary"): "binary",
    ("string", "text"): "text",
    ("string", "json"): "json",
    ("string", "number"): "number",
    ("string", "time"): "time",
    ("string", "datetime"): "time",
    ("string", "date"): "text",
}
_WHOLE = ("tinyint", "smallint", "int", "bigint", "decimal")
# the trailing zeros of a fraction, with the point if no other digit follows it
_ZEROS = r"(?:[.]0*|([.][0-9]*?[1-9])0+)$"
# digits that a timestamp does not hold
_TOO_FINE = r"[.][0-9]{6}[0-9]*[1-9]"
# Texts that may be cast to a type. Otherwise Spark would take `2026`, or a day followed by anything
# else, for a date, ignore a zone, and fill in what is missing.
_CLOCK = r"[ T]\d\d:\d\d(?::\d\d(?:[.]\d+)?)?"
_FORMS = {
    "date": r"(?:[ T]00:00:00(?:[.]0+)?)?",
    "timestamp_ntz": rf"(?:{_CLOCK})?",
    "timestamp": rf"(?:{_CLOCK}.*)?",
}
# JSON's strings, or the blanks between them
_BLANKS = r'("[^"\\]*+(?:\\.[^"\\]*+)*+")|\s+'


@dataclass(frozen=True)
class Column:
    """A column that is compared.

    Attributes:
        name: in the current table.
        source: at the source.
        type: its Spark type in the current table.
        kind: how its values are written, see kind_of().
        ignores_case: it is part of a key that ignores case.
    """

    name: str
    source: str
    type: str
    kind: str
    ignores_case: bool = False


def kind_of(spark_type: str, source: str) -> str | None:
    """Return how the values of a column are written, None if they cannot be compared.

    Args:
        spark_type: the column's in the current table.
        source: what it holds at the source: number, float, boolean, date, datetime, instant, time,
            binary, text or json.

    >>> kind_of("decimal(10,2)", "number"), kind_of("timestamp", "datetime")
    ('number', None)
    """
    base = spark_type.partition("(")[0]
    declared = "number" if base in _WHOLE else "float" if base == "double" else base
    return _KINDS.get((declared, source))


def normalised(column: Column, text: str) -> str:
    """Return the SQL of the normalised text of a value, from a source's text.

    Args:
        column: the column of the value.
        text: an expression of type string.
    """
    if column.kind == "number":
        # Oracle writes no zero before the point
        short = f"regexp_replace(regexp_replace({text}, r'{_ZEROS}', '$1'), r'^(-?)[.]', '$10.')"
        return f"regexp_replace({short}, r'^-0$', '0')"
    if column.kind == "time":
        return f"regexp_replace({text}, r'{_ZEROS}', '$1')"
    if column.kind in ("float", "boolean"):
        return f"coalesce(string(try_cast({text} as {column.type})), {text})"
    if column.kind == "moment":
        form = rf"^\d{{4}}-\d\d-\d\d{_FORMS[column.type]}\z"
        is_exact = f"{text} rlike r'{form}' and not {text} rlike r'{_TOO_FINE}'"
        typed = f"string(try_cast({text} as {column.type}))"
        return f"if({is_exact}, coalesce({typed}, {text}), {text})"
    if column.kind == "json":
        return f"regexp_replace({text}, r'{_BLANKS}', '$1')"
    return text


def of_current(column: Column) -> str:
    """Return the SQL of the normalised text of a current table's value."""
    name, key = sql_name(column.name), sql_string(column.name)
    text = f"lower(hex({name}))" if column.kind == "binary" else plain(name, column.type)
    is_whole = column.kind == "number" and column.type.endswith(("int", ",0)"))
    if column.kind in ("number", "time", "json") and not is_whole:
        text = normalised(column, text)
    kept = f"coalesce({normalised(column, f'_undecodable[{key}]')}, {sql_string(NO_VALUE)})"
    return f"case when map_contains_key(_undecodable, {key}) then {kept} else {text} end"


def plain(name: str, spark_type: str) -> str:
    """Return the SQL of a value as text, a small decimal without an exponent.

    Args:
        name: the column's, in quotes.
        spark_type: the column's.

    >>> plain("a", "decimal(10,2)"), plain("a", "decimal(38,10)")
    ('string(a)', "replace(format_number(a, 10), ',', '')")
    """
    # without ANSI's rules Spark writes zero as `0E-10`
    found = re.fullmatch(r"decimal\(\d+,(\d+)\)", spark_type)
    if found and int(found[1]) > 6:
        return f"replace(format_number({name}, {found[1]}), ',', '')"
    return f"string({name})"


def row_text(texts: list[str], joined: str = "concat({})") -> str:
    """Return the SQL that combines several texts, possibly null, into one without collisions.

    Args:
        texts: expressions of type string.
        joined: the SQL that concatenates texts.
    """
    parts = [
        f"case when {text} is null then '-' else concat(char_length({text}), ':', {text}) end"
        for text in texts
    ]
    return joined.format(", ".join(parts))
