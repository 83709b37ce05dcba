# ruff: noqa: E501 - one type per line
"""The columns of the source tables: every type with its boundary values, and how values compare."""

import base64
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any


@dataclass(frozen=True)
class Column:
    """A column of a source table.

    Attributes:
        name, type: as the table declares them.
        kind: how its values are compared: a key of KINDS, or `array` and the kind of its elements.
            Exceptions are listed by kind, too.
        values: SQL literals.
    """

    name: str
    type: str
    kind: str
    values: tuple[str, ...]


def _decimal(text: str) -> str:
    number = Decimal(text)
    if not number.is_finite():
        return str(number)
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _float(text: str) -> float | str:
    number = float(text)
    return "nan" if number != number else number


def _float32(text: str) -> float | str:
    number = float(text)
    if number != number:
        return "nan"
    return float(struct.unpack("f", struct.pack("f", number))[0])


def _time(text: str) -> str:
    text = text.removesuffix("Z")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _bits(text: str) -> int:
    # PostgreSQL's bits are ones and zeros, MariaDB's are hexadecimal digits after a mark.
    if text.startswith("x"):
        return int(text[1:] or "0", 16)
    return {"true": 1, "false": 0}.get(text, -1) if text in ("true", "false") else int(text)


def _json(text: str) -> Any:
    return json.loads(text)


def _moment(text: str) -> str:
    # PostgreSQL's text of an instant in UTC ends with a zone.
    day, _, time = text.removesuffix("+00").replace("T", " ").partition(" ")
    return f"{day} {_time(time) or '00:00:00'}"


def _zoned_time(text: str) -> float:
    """Return seconds of the day in UTC: Debezium converts a time of day with a zone to UTC."""
    found = re.fullmatch(r"([0-9:.]+)(?:Z|([+-])(.+))", text)
    assert found, text
    clock, sign, zone = found.groups()
    hours, minutes, seconds = clock.split(":")
    shift = [int(part) for part in (zone or "0").split(":")] + [0]
    offset = (shift[0] * 3600 + shift[1] * 60) * (-1 if sign == "-" else 1)
    return round((int(hours) * 3600 + int(minutes) * 60 + float(seconds) - offset) % 86400, 6)


def _geometry(text: str) -> Any:
    # SRID and WKB: in Debezium's object, in the database's `SRID:HEX`, or in MySQL's own bytes
    if text.startswith("{"):
        found = json.loads(text)
        return found.get("srid") or 0, base64.b64decode(found["wkb"]).hex()
    srid, colon, wkb = text.partition(":")
    if colon:
        return int(srid), wkb.lower()
    return int.from_bytes(bytes.fromhex(text[:8]), "little"), text[8:].lower()


def _point(text: str) -> Any:
    if text.startswith("{"):
        found = json.loads(text)
        return float(found["x"]), float(found["y"])
    return tuple(float(part) for part in text.strip("()").split(","))


def _bit_string(text: str) -> str:
    return {"true": "1", "false": "0"}.get(text, text)


def _map(text: str) -> list[Any]:
    return sorted(json.loads(text).items())


def _interval(text: str) -> Any:
    # The database's `1 year 2 mons 3 days 04:05:06.7` or `P1Y2M3DT4H5M6.7S`: months, days,
    # microseconds
    months = days = micros = 0
    if text.startswith("P"):
        found = re.fullmatch(r"P(-?\d+)Y(-?\d+)M(-?\d+)DT(-?\d+)H(-?\d+)M(-?[\d.]+)S", text)
        assert found, text
        year, month, day, hour, minute = (int(part) for part in found.groups()[:5])
        micros = (hour * 3600 + minute * 60) * 1_000_000 + int(Decimal(found.group(6)) * 1_000_000)
        return year * 12 + month, day, micros
    if text.lstrip("-").isdigit():
        return ("microseconds", int(text))
    for number, unit in re.findall(r"(-?\d+) (year|mon|day)", text):
        months += int(number) * {"year": 12, "mon": 1, "day": 0}[unit]
        days += int(number) if unit == "day" else 0
    clock = re.search(r"(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?", text)
    if clock:
        sign, hours, minutes, seconds, fraction = clock.groups()
        micros = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 1_000_000
        micros += int((fraction or "").ljust(6, "0"))
        micros = -micros if sign else micros
    return months, days, micros


def _money(text: str) -> str:
    return _decimal(text.replace("$", "").replace(",", ""))


KINDS: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "unsigned64": int,
    "decimal": _decimal,
    "float": _float32,
    "double": _float,
    "boolean": lambda text: {"t": True, "true": True, "1": True}.get(text, False),
    "text": str,
    "label": str,
    "binary": str,
    "bit1": _bits,
    "bits": _bits,
    "date": str,
    "datetime": _moment,
    "timestamp": _moment,
    "time": _time,
    "json": _json,
    "geometry": _geometry,
    "point": _point,
    "money": _money,
    "interval": _interval,
    "bitstring": _bit_string,
    "varbit": _bit_string,
    "hstore": _map,
    "tstzrange": str,
    "timetz": _zoned_time,
}


def canonical(kind: str, text: str | None) -> Any:
    """Return a value in the normal form of its kind, in which equal values are equal."""
    if text is None:
        return None
    name, _, of = kind.partition(" ")
    if name == "array":
        return [canonical(of, element) for element in json.loads(text)]
    return KINDS[name](text)


def _texts(*values: str) -> tuple[str, ...]:
    return tuple("'" + value.replace("\\", "\\\\").replace("'", "''") + "'" for value in values)


TEXTS = _texts(
    "", " ", "plain", "it's \"quoted\" \\ back\\n", "华为 💰 \u00e9\u0301", "line\nline\r\n\ttab",
    "NULL", "null", "true", "1.10", "{\"a\": [1]}", "\u0001\u001f", "<&>", " trailing  ",
    "__debezium_unavailable_valu", "2026-01-01",
)  # fmt: skip
LARGE = ("repeat('ab华', 3000)", "repeat('\\\\\"', 900)", "''", "'short'")

MARIADB = (
    Column("c_tiny", "tinyint", "integer", ("-128", "127", "0", "-1")),
    Column("c_tiny_u", "tinyint unsigned", "integer", ("255", "0", "128")),
    Column("c_tiny1", "tinyint(1)", "integer", ("0", "1", "-128", "127")),
    Column("c_bool", "boolean", "integer", ("true", "false", "2")),
    Column("c_small", "smallint", "integer", ("-32768", "32767", "0")),
    Column("c_small_u", "smallint unsigned", "integer", ("65535", "0")),
    Column("c_medium", "mediumint", "integer", ("-8388608", "8388607")),
    Column("c_medium_u", "mediumint unsigned", "integer", ("16777215", "0")),
    Column("c_int", "int", "integer", ("-2147483648", "2147483647", "0")),
    Column("c_int_u", "int unsigned", "integer", ("4294967295", "2147483648", "0")),
    Column("c_int_z", "int(6) unsigned zerofill", "integer", ("42", "4294967295")),
    Column("c_big", "bigint", "integer",
           ("-9223372036854775808", "9223372036854775807", "9007199254740993")),
    Column("c_big_u", "bigint unsigned", "unsigned64",
           ("18446744073709551615", "9223372036854775808", "0", "9223372036854775807")),
    Column("c_dec", "decimal(10,2)", "decimal", ("-99999999.99", "99999999.99", "1.10", "0", "-0.01")),
    Column("c_dec_u", "decimal(10,2) unsigned", "decimal", ("99999999.99", "0.00")),
    Column("c_dec0", "decimal(5,0)", "decimal", ("-99999", "99999", "0", "-1")),
    Column("c_dec38", "decimal(38,10)", "decimal",
           ("-9999999999999999999999999999.9999999999", "1234567890123456789012345678.1234567890",
            "0.0000000001", "-0.0000000001", "0")),
    Column("c_dec65", "decimal(65,30)", "decimal",
           ("-99999999999999999999999999999999999.999999999999999999999999999999",
            "12345678901234567890123456789012345.100000000000000000000000000001", "0", "-1.5")),
    Column("c_float", "float", "float", ("0", "-1.5", "3.4028234e38", "1.1754944e-38", "0.1", "16777217")),
    Column("c_float_s", "float(7,3)", "float", ("1234.567", "-0.001")),
    Column("c_double", "double", "double",
           ("0", "-1.5", "1.7976931348623157e308", "2.2250738585072014e-308", "0.1", "9007199254740993")),
    Column("c_bit1", "bit(1)", "bit1", ("b'0'", "b'1'")),
    Column("c_bit8", "bit(8)", "bits 8", ("b'10000001'", "b'0'", "b'11111111'")),
    Column("c_bit12", "bit(12)", "bits 12", ("b'100000000001'", "b'0'")),
    Column("c_bit64", "bit(64)", "bits 64",
           ("x'ffffffffffffffff'", "x'8000000000000001'", "b'0'", "x'0102030405060708'")),
    Column("c_char", "char(20)", "text", TEXTS[2:6]),
    Column("c_varchar", "varchar(200)", "text", TEXTS),
    Column("c_latin1", "varchar(20) character set latin1", "text", _texts("é", "plain", "ÿ¿", "")),
    Column("c_gbk", "varchar(20) character set gbk", "text", _texts("华为", "plain", "")),
    Column("c_utf16", "varchar(20) character set utf16", "text", _texts("华💰", "plain", "")),
    Column("c_tinytext", "tinytext", "text", TEXTS[:4]),
    Column("c_text", "text", "text", TEXTS),
    Column("c_mediumtext", "mediumtext", "text", LARGE),
    Column("c_longtext", "longtext", "text", LARGE),
    Column("c_enum", "enum('a','B b','c,d','it''s','华')", "label", ("'a'", "'B b'", "'c,d'", "'it''s'", "'华'")),
    Column("c_set", "set('x','y z','华')", "text", ("''", "'x'", "'x,y z'", "'y z,华'", "'x,y z,华'")),
    Column("c_json", "json", "text", ("'{}'", "'[1, 2.50, \"华\"]'", "'{\"a\": null, \"b\": \"\\\\\"\"}'")),
    Column("c_binary", "binary(4)", "binary", ("x'00ff0000'", "x'01020304'", "x'00000000'", "x'41'")),
    Column("c_varbinary", "varbinary(16)", "binary", ("x''", "x'00'", "x'ff00fe'", "x'e4bda0'", "x'200a0d00'")),
    Column("c_tinyblob", "tinyblob", "binary", ("x''", "x'fffe'")),
    Column("c_blob", "blob", "binary", ("x''", "repeat(x'ff00', 2000)", "x'0102'")),
    Column("c_mediumblob", "mediumblob", "binary", ("repeat(x'00c3a9', 3000)", "x'ff'")),
    Column("c_longblob", "longblob", "binary", ("x'e28280'", "x''")),
    Column("c_date", "date", "date", ("'2026-02-28'", "'1000-01-01'", "'9999-12-31'", "'1969-12-31'", "'0001-01-01'")),
    Column("c_datetime", "datetime", "datetime",
           ("'2026-03-29 02:30:00'", "'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'1969-12-31 23:59:59'")),
    Column("c_datetime3", "datetime(3)", "datetime", ("'2026-03-29 02:30:00.123'", "'1969-12-31 23:59:59.999'")),
    Column("c_datetime6", "datetime(6)", "datetime",
           ("'2026-03-29 02:30:00.123456'", "'9999-12-31 23:59:59.999999'", "'1000-01-01 00:00:00.000001'")),
    Column("c_timestamp", "timestamp null default null", "timestamp",
           ("'2026-03-29 02:30:00'", "'1970-01-02 00:00:01'", "'2038-01-19 03:14:07'")),
    Column("c_timestamp6", "timestamp(6) null default null", "timestamp",
           ("'2026-03-29 02:30:00.123456'", "'1970-01-02 00:00:00.000001'")),
    Column("c_time", "time", "time", ("'00:00:00'", "'23:59:59'", "'-00:00:01'", "'838:59:59'", "'-838:59:59'")),
    Column("c_time3", "time(3)", "time", ("'10:00:00.500'", "'-10:00:00.001'")),
    Column("c_time6", "time(6)", "time", ("'10:00:00.000001'", "'-838:59:58.999999'", "'12:34:56.789000'")),
    Column("c_year", "year", "integer", ("1901", "2155", "2026")),
    Column("c_point", "point", "geometry", ("point(1, -2.5)", "point(0, 0)")),
    Column("c_line", "linestring", "geometry", ("linestring(point(0,0), point(1.25,2))",)),
    Column("c_geometry", "geometry", "geometry",
           ("st_geomfromtext('POLYGON((0 0,4 0,4 4,0 0))')", "st_geomfromtext('POINT(7 8)', 4326)",
            "st_geomfromtext('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))')")),
    Column("c_generated", "int as (c_tiny * 2) stored", "integer", ()),
    Column("c_default", "varchar(20) not null default 'dflt'", "text", ("''", "'x'")),
)  # fmt: skip

POSTGRESQL = (
    Column("c_small", "smallint", "integer", ("-32768", "32767", "0")),
    Column("c_int", "integer", "integer", ("-2147483648", "2147483647", "0")),
    Column("c_big", "bigint", "integer",
           ("-9223372036854775808", "9223372036854775807", "9007199254740993")),
    Column("c_num", "numeric(10,2)", "decimal", ("-99999999.99", "1.10", "0", "-0.01")),
    Column("c_num0", "numeric(5,0)", "decimal", ("-99999", "0", "1")),
    Column("c_num38", "numeric(38,10)", "decimal",
           ("-9999999999999999999999999999.9999999999", "1234567890123456789012345678.1234567890", "0")),
    Column("c_num60", "numeric(60,20)", "decimal",
           ("-9999999999999999999999999999999999999999.99999999999999999999", "0", "1.5")),
    Column("c_num_free", "numeric", "decimal",
           ("1.10", "-0.000000000000000000000000000001", "12345678901234567890123456789012345678901234567890.5",
            "100000", "0", "1e-40")),
    Column("c_real", "real", "float", ("0", "-1.5", "3.4028235e38", "0.1", "'NaN'", "'Infinity'", "'-Infinity'")),
    Column("c_double", "double precision", "double",
           ("0", "-1.5", "1.7976931348623157e308", "0.1", "'NaN'", "'Infinity'", "'-Infinity'", "5e-324")),
    Column("c_bool", "boolean", "boolean", ("true", "false")),
    Column("c_money", "money", "money", ("'$1,234.50'", "'-$0.01'", "92233720368547758.07::numeric::money")),
    Column("c_text", "text", "text", tuple("E" + text for text in TEXTS)),
    Column("c_varchar", "varchar(200)", "text", tuple("E" + text for text in TEXTS)),
    Column("c_char", "char(5)", "text", ("'a'", "'华 b'", "'abcde'")),
    Column("c_uuid", "uuid", "text", ("'123e4567-e89b-12d3-a456-426655440000'",)),
    Column("c_json", "json", "text", ("'{\"a\":  1.10, \"a\": null}'", "'[]'", "'\"华\\u0041\"'")),
    Column("c_jsonb", "jsonb", "text", ("'{\"b\": 1.10, \"a\": [null, \"\\\\\\\"\"]}'", "'12345678901234567890.5'")),
    Column("c_xml", "xml", "text", ("'<a b=\"1\">华 &amp;</a>'",)),
    Column("c_inet", "inet", "text", ("'192.168.0.1/24'", "'2001:db8::1'")),
    Column("c_cidr", "cidr", "text", ("'10.0.0.0/8'",)),
    Column("c_macaddr", "macaddr", "text", ("'08:00:2b:01:02:03'",)),
    Column("c_macaddr8", "macaddr8", "text", ("'08:00:2b:01:02:03:04:05'",)),
    Column("c_bit1", "bit(1)", "bit1", ("B'0'", "B'1'")),
    Column("c_bit8", "bit(8)", "bitstring", ("B'10000001'", "B'00000000'", "B'00010110'")),
    Column("c_bit65", "bit(65)", "bitstring", ("B'1" + 64 * "0" + "'", "B'" + 65 * "1" + "'")),
    Column("c_varbit", "bit varying(12)", "varbit", ("B'101'", "B'100000000001'", "B'0010'", "B''")),
    Column("c_varbit_any", "bit varying", "varbit", ("B'101'", "B'0010'", "B'1" + 70 * "0" + "'")),
    Column("c_interval", "interval", "interval",
           ("'1 day 02:03:04.000005'", "'-00:00:01'", "'-100:00:00'", "'00:00:00'", "'7 days'", "'1 year 2 mons'")),
    Column("c_point", "point", "point", ("'(1,-2.5)'", "'(0,0)'")),
    Column("c_tsvector", "tsvector", "text", ("to_tsvector('simple', 'a fat cat')",)),
    Column("c_int4range", "int4range", "text", ("'[1,5)'", "'empty'", "'(,)'")),
    Column("c_numrange", "numrange", "text", ("'[1.10,2)'",)),
    Column("c_tsrange", "tsrange", "text", ("'[2026-01-01 00:00:00,2026-01-02)'",)),
    Column("c_tstzrange", "tstzrange", "tstzrange", ("'[2026-01-01 00:00:00+00,)'",)),
    Column("c_daterange", "daterange", "text", ("'[2026-01-01,2026-02-01)'",)),
    Column("c_oid", "oid", "integer", ("4294967295", "0")),
    Column("c_mood", "mood", "text", ("'sad'", "'o,k'", "'it''s 华'")),
    Column("c_positive", "positive", "decimal", ("1.5", "99999999.99")),
    Column("c_citext", "citext", "text", ("'Case'", "''")),
    Column("c_ltree", "ltree", "text", ("'Top.Science'",)),
    Column("c_hstore", "hstore", "hstore", ("'a=>1, b=>NULL'", "''", "'\"q\\\"\"=>\"华,\"'")),
    Column("c_smalls", "smallint[]", "array integer", ("'{-32768,32767,NULL}'",)),
    Column("c_ints", "integer[]", "array integer", ("'{1,NULL,-3}'", "'{}'", "'{2147483647,-2147483648}'")),
    Column("c_bigs", "bigint[]", "array integer", ("'{9223372036854775807,-9223372036854775808,9007199254740993}'",)),
    Column("c_nums", "numeric(10,2)[]", "array decimal", ("'{1.10,NULL,-99999999.99}'", "'{}'", "'{0}'")),
    Column("c_nums38", "numeric(38,10)[]", "array decimal",
           ("'{-9999999999999999999999999999.9999999999,1234567890123456789012345678.1234567890}'",)),
    Column("c_nums_free", "numeric[]", "array decimal",
           ("'{1.10,1e-40,NULL,100000}'", "'{12345678901234567890123456789012345678901234567890.5}'")),
    Column("c_reals", "real[]", "array float", ("'{0.1,NULL,3.4028235e38,-1.5}'", "'{NaN,-Infinity}'")),
    Column("c_doubles", "double precision[]", "array double", ("'{0.1,NULL,1.7976931348623157e308,5e-324}'", "'{NaN,Infinity}'")),
    Column("c_bools", "boolean[]", "array boolean", ("'{t,f,NULL}'",)),
    Column("c_texts", "text[]", "array text",
           ("array['a,\"b\\', '', null, '华 💰', 'null', 'NULL', '[1]', '{}', E'\\n\\t']", "'{}'", "'{NULL}'")),
    Column("c_varchars", "varchar(20)[]", "array text", ("array['a b', 'c']",)),
    Column("c_chars", "char(3)[]", "array text", ("array['a', '华bc']",)),
    Column("c_uuids", "uuid[]", "array text", ("'{123e4567-e89b-12d3-a456-426655440000,NULL}'",)),
    Column("c_jsons", "json[]", "array text", ("array['{\"a\":  1.10}', 'null', null, '[]']::json[]",)),
    Column("c_inets", "inet[]", "array text", ("'{192.168.0.1/24,2001:db8::1}'",)),
    Column("c_dates", "date[]", "array date", ("'{2026-02-28,NULL,1969-12-31}'", "'{9999-12-31}'")),
    Column("c_tss", "timestamp[]", "array datetime", ("'{2026-03-29 02:30:00.123456,NULL}'",)),
    Column("c_ts3s", "timestamp(3)[]", "array datetime", ("'{2026-03-29 02:30:00.123,NULL}'",)),
    Column("c_tstzs", "timestamptz[]", "array timestamp", ("'{2026-03-29 02:30:00.123456+08,NULL}'",)),
    Column("c_times", "time[]", "array time", ("'{00:00:00,23:59:59.999999,NULL}'",)),
    Column("c_time3s", "time(3)[]", "array time", ("'{10:00:00.125,NULL}'",)),
    Column("c_byteas", "bytea[]", "array binary", ("array['\\x00ff', '', null]::bytea[]", "'{}'")),
    Column("c_oids", "oid[]", "array integer", ("'{4294967295,NULL}'",)),
    Column("c_moods", "mood[]", "array text", ("array['sad', 'o,k']::mood[]",)),
    Column("c_citexts", "citext[]", "array text", ("'{Case,NULL}'",)),
    Column("c_ranges", "int4range[]", "array text", ("array['[1,5)', null, 'empty']::int4range[]",)),
    Column("c_hstores", "hstore[]", "array hstore", ("array['a=>1, b=>NULL', null, '']::hstore[]",)),
    Column("c_bytea", "bytea", "binary", ("'\\x00ff'", "''", "decode(repeat('00c3a9', 900), 'hex')")),
    Column("c_date", "date", "date", ("'2026-02-28'", "'0001-01-01'", "'9999-12-31'", "'1969-12-31'")),
    Column("c_ts", "timestamp", "datetime",
           ("'2026-03-29 02:30:00.123456'", "'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'", "'1969-12-31 23:59:59.999999'")),
    Column("c_ts0", "timestamp(0)", "datetime", ("'2026-03-29 02:30:00'", "'1969-12-31 23:59:59'")),
    Column("c_ts3", "timestamp(3)", "datetime", ("'2026-03-29 02:30:00.123'", "'1969-12-31 23:59:59.999'")),
    Column("c_tstz", "timestamptz", "timestamp",
           ("'2026-03-29 02:30:00.123456+08'", "'1969-12-31 23:59:59.999999+00'", "'9999-12-31 00:00:00+00'")),
    Column("c_time", "time", "time", ("'00:00:00'", "'23:59:59.999999'", "'10:00:00.5'", "'24:00:00'")),
    Column("c_time0", "time(0)", "time", ("'23:59:59'", "'00:00:00'")),
    Column("c_time3", "time(3)", "time", ("'10:00:00.125'",)),
    Column("c_timetz", "timetz", "timetz", ("'10:00:00.5+08'", "'00:00:00+00'")),
    Column("c_large", "text", "text", ("repeat('a华', 4000)", "repeat('\\\"', 3000)", "'short'")),
    Column("c_large_bytes", "bytea", "binary", ("decode(repeat('00ff', 9000), 'hex')", "'\\x01'")),
    Column("c_large_list", "text[]", "array text", ("array_fill('long text'::text, array[2000])", "'{}'")),
    Column("c_default", "varchar(20) not null default 'dflt'", "text", ("''", "'x'")),
    Column("Upper", "integer", "integer", ("1", "2")),
)  # fmt: skip
