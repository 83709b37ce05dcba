"""DRS's JSON of databases other than MySQL: `columnType`, bytes as hex, TIMESTAMP as text."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from changes import COLUMNS, DATABASE, TABLE, Change, Column, Message, Row
from dialects._shared import digits_of, epoch_micros, gson, java_double, moment_text, time_text

Writer = Callable[[Column, Any], str | None]

# By MySQL type, with or without its arguments. Types missing here become the default: the other
# databases have no type for labels, sets, and times below 0 or over 24 hours.
_POSTGRESQL = {
    "tinyint": "smallint", "tinyint unsigned": "smallint", "smallint": "smallint",
    "smallint unsigned": "integer", "mediumint": "integer", "mediumint unsigned": "integer",
    "int": "integer", "int unsigned": "bigint", "bigint": "bigint", "bigint unsigned": "numeric",
    "decimal": "numeric", "float": "real", "double": "double precision", "text": "text",
    "json": "json", "varbinary": "bytea", "blob": "bytea", "bit(1)": "boolean", "bit": "bit",
    "date": "date", "datetime": "timestamp without time zone",
    "timestamp": "timestamp with time zone", "year": "smallint",
}  # fmt: skip
_ORACLE = {
    "decimal(65,30)": "VARCHAR2",  # NUMBER has 38 digits
    "float": "BINARY_FLOAT", "double": "BINARY_DOUBLE", "text": "CLOB", "json": "CLOB",
    "varbinary": "RAW", "blob": "BLOB", "date": "DATE", "datetime": "DATE",
    "datetime(3)": "TIMESTAMP(3)", "datetime(6)": "TIMESTAMP(6)",
    "timestamp": "TIMESTAMP(0) WITH TIME ZONE", "timestamp(6)": "TIMESTAMP(6) WITH TIME ZONE",
    **dict.fromkeys(("char", "varchar", "enum", "set", "time"), "VARCHAR2"),
}  # fmt: skip


def _types(natural: dict[str, str], default: str) -> dict[str, str]:
    def of(column: Column) -> str:
        bare = column.base + (" unsigned" if column.unsigned else "")
        return natural.get(column.type) or natural.get(bare, default)

    return {one.name: of(one) for one in COLUMNS}


POSTGRESQL = _types(_POSTGRESQL, "character varying")
ORACLE = _types(_ORACLE, "NUMBER")

# The sample has smallint, boolean, bytea, timestamp, bit and json; the other codes are guesses.
_POSTGRESQL_CODES = {
    "smallint": 2, "integer": 3, "bigint": 4, "numeric": 5, "real": 6, "double precision": 7,
    "boolean": 8, "character varying": 10, "text": 11, "bytea": 15,
    "timestamp without time zone": 16, "timestamp with time zone": 17, "date": 18, "bit": 20,
    "json": 22,
}  # fmt: skip
_ORACLE_CODES = {
    "NUMBER": 2, "BINARY_FLOAT": 100, "BINARY_DOUBLE": 101, "VARCHAR2": 12, "CLOB": 2005,
    "RAW": -3, "BLOB": 2004, "DATE": 93, "TIMESTAMP(3)": 93, "TIMESTAMP(6)": 93,
    "TIMESTAMP(0) WITH TIME ZONE": -101, "TIMESTAMP(6) WITH TIME ZONE": -101,
}  # fmt: skip


def _zoned(value: datetime.datetime) -> datetime.datetime:
    return value.astimezone(ZoneInfo("Asia/Shanghai"))


def _with_zone(value: datetime.datetime, digits: int) -> str:
    return f"{moment_text(_zoned(value), digits)} {_zoned(value).isoformat()[-6:]}"


def _short(value: datetime.datetime) -> str:
    """Return a time without trailing zeros in its fraction, as in the sample."""
    text = moment_text(value, 6)
    return text.rstrip("0").rstrip(".") if value.microsecond else moment_text(value)


def _real(value: float) -> str:
    """Return a number as PostgreSQL writes it, with an exponent from 1e6 on."""
    if abs(value) < 1e6:
        return repr(value).removesuffix(".0")
    digits, exponent = f"{value:.8e}".split("e")
    return f"{digits.rstrip('0').rstrip('.')}e{exponent}"


def _number(value: Any) -> str:
    """Return a number as Oracle stores it, without trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain(column: Column, value: Any) -> str:
    if column.base == "time":
        return time_text(value, digits_of(column))
    if isinstance(value, tuple):
        return ",".join(value)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


_POSTGRESQL_TEXTS: dict[str, Writer] = {
    "boolean": lambda _, value: "true" if value else "false",
    "bit": lambda column, value: f"{value:0{column.arguments[0]}b}",
    "real": lambda _, value: _real(value),
    "double precision": lambda _, value: repr(value).removesuffix(".0"),
    "bytea": lambda _, value: value.hex(),
    "timestamp without time zone": lambda _, value: _short(value),
    "timestamp with time zone": lambda _, value: _short(_zoned(value)) + f"{_zoned(value):%z}"[:3],
}
# No sample shows Oracle: hex as for bytea, times as in its ISO session formats.
_ORACLE_TEXTS: dict[str, Writer] = {
    "NUMBER": lambda _, value: _number(value) if isinstance(value, Decimal) else str(value),
    "BINARY_FLOAT": lambda _, value: java_double(value),
    "BINARY_DOUBLE": lambda _, value: java_double(value),
    "VARCHAR2": lambda column, value: _plain(column, value) or None,
    "RAW": lambda _, value: value.hex() or None,
    "BLOB": lambda _, value: value.hex(),
    "DATE": lambda column, value: f"{value} 00:00:00" if column.base == "date" else str(value),
    "TIMESTAMP(3)": lambda _, value: moment_text(value, 3),
    "TIMESTAMP(6)": lambda _, value: moment_text(value, 6),
    "TIMESTAMP(0) WITH TIME ZONE": lambda _, value: _with_zone(value, 0),
    "TIMESTAMP(6) WITH TIME ZONE": lambda _, value: _with_zone(value, 6),
}


def _body(
    change: Change, head: dict[str, Any], types: dict[str, str], texts: dict[str, Writer]
) -> dict[str, Any]:
    def text(column: Column, value: Any) -> str | None:
        return None if value is None else texts.get(types[column.name], _plain)(column, value)

    def image(row: Row | None) -> list[dict[str, str | None]] | None:
        return [{one.name: text(one, row[one.name]) for one in row.columns}] if row else None

    # The full load has no operation of its own here: only MySQL's table of fields names INIT.
    kind = "INSERT" if change.operation == "snapshot" else change.operation.upper()
    return {
        "columnType": types,
        "opType": kind,
        "id": change.number + 1,
        "es": epoch_micros(change.at) // 1000,
        "ts": epoch_micros(change.at) // 1000 + 437,
        "table": TABLE,
        "type": kind,
        "isDdl": False,
        "sql": "",
        "data": image(change.after),
        "old": image(change.before),
        "pkNames": None,  # as in the sample
        **head,
    }


def postgresql(change: Change) -> list[Message]:
    """Return PostgreSQL's message."""
    head = {
        "dbType": "PostgreSQL",
        "database": DATABASE,
        "schema": "public",
        "sqlType": {name: _POSTGRESQL_CODES[one] for name, one in POSTGRESQL.items()},
        "es": epoch_micros(change.at) // 1000 - 1000,  # of the previous transaction
    }
    return [Message(gson(_body(change, head, POSTGRESQL, _POSTGRESQL_TEXTS)).encode())]


def oracle(change: Change) -> list[Message]:
    """Return Oracle's message, which names no database."""
    head = {
        "dbType": "Oracle",
        "database": "",
        "schema": DATABASE,
        "sqlType": {name: _ORACLE_CODES[one] for name, one in ORACLE.items()},
    }
    return [Message(gson(_body(change, head, ORACLE, _ORACLE_TEXTS)).encode())]
