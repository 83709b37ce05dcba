"""Declares columns of current models, by their types at the source or by their values."""

import re
from dataclasses import dataclass, replace
from typing import cast

from changelake.core.macros import format_traits, macro_result
from changelake.onboarding.source_types import (
    connect_type,
    database_family,
    element_of,
    rule_of,
    split_type,
)
from changelake.onboarding.values import MAX_PRECISION, Values, bson_type, decimal_of, infer

LABELS = ("enum(", "set(")
MAX_FRACTION = 6
YEAR_DIGITS = 4
# PostgreSQL's types whose texts have unquoted commas: semicolons separate them in arrays.
_WITH_COMMAS = {"box"}
# Enough for milliseconds until the year 5138; microseconds with as few digits end in 1973.
MILLIS_DIGITS = 14
# The maximum digits in each unit: for times until the year 9999, and for MySQL's 838 hours.
EPOCH_DIGITS = {"epoch_millis": 15, "epoch_micros": 18, "epoch_nanos": 19}
TIME_DIGITS = {"time_millis": 10, "time_micros": 13, "time_nanos": 16}
_WHOLE_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}


@dataclass(frozen=True)
class Declaration:
    """How a column is declared: `<spark type>[ from <encoding>]`, and whether that was a guess."""

    text: str
    inferred: bool = False

    @classmethod
    def of(cls, spark_type: str, encoding: str = "", inferred: bool = False) -> "Declaration":
        """Return the declaration of a type that messages hold in an encoding; empty: plain text."""
        return cls(f"{spark_type} from {encoding}" if encoding else spark_type, inferred)

    @property
    def spark_type(self) -> str:
        """The type in the current table."""
        return self.text.partition(" from ")[0].strip()

    @property
    def encoding(self) -> str:
        """How messages encode it; empty: as plain text."""
        return self.text.partition(" from ")[2].strip()


def declared_element(declared: str) -> str | None:
    """Return how the elements of an array are declared; None if it is not an array.

    >>> declared_element("array<string> from base64"), declared_element("string")
    ('string from base64', None)
    """
    found = re.fullmatch(r"\s*array<(.+)>(.*)", declared, re.IGNORECASE)
    return f"{found[1]}{found[2]}" if found else None


def list_of(element: Declaration) -> Declaration:
    """Return the declaration of an array with elements of this declaration.

    Arrays of arrays are kept as text, since their depth varies; so are maps within arrays.
    """
    if declared_element(element.spark_type):
        return Declaration("string", inferred=True)
    spark_type = "string" if element.spark_type.startswith("map<") else element.spark_type
    return Declaration.of(f"array<{spark_type}>", element.encoding, element.inferred)


def digits_of(spark_type: str) -> tuple[int, int] | None:
    """Return the largest whole number of an exact type, and its digits after the point.

    >>> digits_of("decimal(4,2)"), digits_of("double")
    ((99, 2), None)
    """
    if spark_type in _WHOLE_BITS:
        return 2 ** _WHOLE_BITS[spark_type] - 1, 0
    if match := re.fullmatch(r"decimal\((\d+)(?:,\s*(\d+))?\)", spark_type):
        precision, scale = int(match.group(1)), int(match.group(2) or 0)
        return 10 ** (precision - scale) - 1, scale
    return None


def declare(
    format_id: str,
    source_type: str,
    type_text: str | None,
    values: Values,
    is_key: bool = False,
) -> Declaration:
    """Declare a column.

    Args:
        format_id: the dialect, for its encodings.
        source_type: the database, as the events say it; empty if they do not.
        type_text: the declared type at the source, for example `decimal(10,2) unsigned`; None
            if the dialect carries none: then the values decide.
        values: what its values look like.
        is_key: the column is one of the key.
    """
    if not type_text and values.kinds:
        found = declare(format_id, source_type, bson_type(values.kinds), values)
        return Declaration(found.text, inferred=True)
    if not type_text:
        return Declaration(infer(values, is_key), inferred=True)
    family = database_family(source_type)
    if format_traits(format_id)["sends_lists"] and (element := element_of(type_text)):
        return list_of(declare(format_id, source_type, element, values))
    if listed := _list_of_texts(format_id, family, type_text):
        return listed
    rule = _rule(format_id, source_type, type_text)
    if rule is None:
        return Declaration("string", inferred=True)
    return _declaration(*rule, type_text, family, values)


def declare_known(
    format_id: str, source_type: str, type_text: str | None, family: str, known: str, values: Values
) -> Declaration:
    """Declare a column whose type is known from the database itself.

    How the producer encodes it follows from the type in the messages, if they have one.

    Args:
        format_id: the dialect, for its encodings.
        source_type: the database, as the events say it; empty if they do not.
        type_text: the type in the messages; None where the dialect carries none.
        family: the family of the database.
        known: the type according to the database, in full.
        values: what its values look like.
    """
    said = declare(format_id, source_type, type_text, values) if type_text else None
    if format_traits(format_id)["sends_lists"] and (element := element_of(known)):
        sent = element_of(type_text or "")
        if said and not sent:
            return said
        return list_of(declare_known(format_id, source_type, sent, family, element, values))
    if listed := _list_of_texts(format_id, family, known):
        return listed
    own = _rule("", family, known)
    if own is None and said:
        # a type that Debezium does not know: it sends the text as bytes
        is_text = family == "postgresql" and said.text == "binary from base64"
        return Declaration("string from base64") if is_text else said
    if own is None:
        return declare(format_id, family, None, values)
    # a dialect with typed and untyped rows can write bytes in two ways
    untyped = None if said else _rule(format_id, family, f"{known} character set binary")
    rule = untyped or _rule(format_id, family, known, is_declared=True) or own
    spark_type, encoding = rule
    if spark_type.startswith(("array<", "map<")):
        # hstore, which a schema part may call JSON; a vector, whose numbers it may call doubles
        return said if said and said.text != "string" else Declaration(spark_type)
    if said is None:
        if format_traits(format_id)["encodings"]:
            encoding = _encoding_by_options(encoding, values)
        # the type tells whether there is a zone; DMS writes a Z after times with and without one
        if values.instants:
            # no more than zeros follow the sixth digit
            values = replace(values, instants=False, fraction_digits=0)
        return _declaration(spark_type, encoding, known, family, values)
    if own[0] == "decimal(p,s)" and "(" not in known:
        # for Oracle's NUMBER and PostgreSQL's NUMERIC, a message may tell more
        return said
    sign = " unsigned" if " unsigned" in known.lower() else ""
    told = _rule(format_id, source_type, f"{type_text}{sign}") or ("string", "")
    if told[0] == "binary" and rule[0] == "string" and rule[1]:
        # the messages have its bytes only, no text
        return _declaration(*rule, known, family, values)
    name = split_type(known)[0]
    if name.startswith("interval") and told[0] == "bigint":
        # microseconds, which are no text
        return said
    encoding = _encoding(own, told, name)
    if encoding == "bits(n)":
        # for `bit varying`, a message tells the maximum length
        encoding = rule[1]
    return said if encoding is None else _declaration(own[0], encoding, known, family, values)


def _list_of_texts(format_id: str, family: str, type_text: str) -> Declaration | None:
    # PostgreSQL's own text of an array contains its elements' texts, however the dialect encodes a
    # single value. None: not an array, or the dialect does not send such texts.
    element = element_of(type_text)
    is_listed = family in ("postgresql", "gaussdb") and format_traits(format_id)["sends_list_texts"]
    if not element or not is_listed:
        return None
    if element.lower() in _WITH_COMMAS or element_of(element):
        return Declaration("string")
    found = declare("", family, element, Values())
    # nothing tells how many digits a `numeric` has
    return list_of(Declaration("string") if found.inferred else found)


def _encoding_by_options(encoding: str, values: Values) -> str:
    # Without a schema part, the values show which options of the producer differ from the default.
    is_base64 = values.base64 and not values.numbers
    if encoding.startswith("base64_unscaled") and not is_base64:
        # decimal.handling.mode; digits alone are valid Base64 too
        return ""
    if encoding == "base64_struct" and not values.objects:
        return ""
    if encoding == "signed64" and is_base64:
        # bigint.unsigned.handling.mode=precise
        return "base64_unscaled(0)"
    if values.integers:
        encoding = _by_precision(encoding, values.whole_digits)
    if encoding.startswith("time_") and values.letters:
        # time.precision.mode=isostring: `12:00:00Z`
        return "time"
    # binary.handling.mode
    return "hex" if encoding == "base64" and values.hex else encoding


def _by_precision(encoding: str, digits: int) -> str:
    # time.precision.mode: a number with more digits than the latest possible time has in a unit is
    # in a finer one. `connect` has the coarsest unit, and so the fewest digits.
    if encoding == "epoch_micros" and digits <= MILLIS_DIGITS:
        return "epoch_millis"
    for units in (EPOCH_DIGITS, TIME_DIGITS):
        if encoding in units:
            names = list(units)
            return next(
                (one for one in names[names.index(encoding) :] if digits <= units[one]), names[-1]
            )
    return encoding


def _encoding(own: tuple[str, str], told: tuple[str, str], name: str) -> str | None:
    # How values of a type are encoded if the messages name another type; None: the two have nothing
    # in common.
    base, theirs = (rule[0].partition("(")[0] for rule in (own, told))
    if base != theirs and ("binary" in (base, theirs) or base == "string"):
        return None
    if theirs == "string" and name == "bit":
        # binary or decimal digits
        return None
    encoding = told[1] or (own[1] if base == "string" else "")
    known = cast("list[str]", macro_result("values", "encodings_of", base))
    return encoding if encoding.partition("(")[0] in ("", *known) else None


def _rule(
    format_id: str, source_type: str, type_text: str, is_declared: bool = False
) -> tuple[str, str] | None:
    name, arguments = connect_type(type_text) or split_type(type_text)
    without_sign = name.removesuffix(" unsigned").removesuffix(" signed")
    if without_sign == "float" and _is_double(source_type, arguments):
        name = without_sign = "double"
    found = (
        rule_of(format_id, source_type, one, is_declared)
        for one in (f"{name}({arguments})", name, without_sign)
    )
    return next((rule for rule in found if rule), None)


def _is_double(source_type: str, arguments: str) -> bool:
    # MySQL makes a FLOAT of more than 24 bits a DOUBLE
    is_mysql = database_family(source_type) == "mysql"
    return is_mysql and arguments.isdecimal() and int(arguments[:3]) > 24


def _declaration(
    spark_type: str, encoding: str, type_text: str, family: str, values: Values
) -> Declaration:
    """Fill in the arguments of a type, and what only the values tell."""
    name, arguments = connect_type(type_text) or split_type(type_text)
    numbers = _numbers_in(arguments)
    if name in ("datetime2", "datetimeoffset") and not numbers:
        # SQL Server's default
        numbers = [7]
    if spark_type in ("integer", "number"):
        return _any_number(spark_type, values)
    if spark_type == "decimal(p,s)":
        # Oracle's FLOAT has its precision in bits
        return _decimal([] if name == "float" else numbers, encoding, values)
    if shown := _shown_by_values(spark_type, encoding, type_text, family, values):
        return Declaration(shown, inferred=True)
    if spark_type.startswith("timestamp") and numbers and numbers[0] > MAX_FRACTION:
        return Declaration("string from epoch_nanos" if encoding == "epoch_nanos" else "string")
    return Declaration.of(spark_type, _filled_in(encoding, spark_type, arguments, numbers))


def _numbers_in(arguments: str) -> list[int]:
    # Oracle's `number(*,0)` has the maximum number of digits
    texts = re.findall(r"-?\d+|\*", arguments) if "(" not in arguments else []
    # cut, since int() refuses thousands of digits
    return [MAX_PRECISION if text == "*" else int(text[:9]) for text in texts]


def _shown_by_values(
    spark_type: str, encoding: str, type_text: str, family: str, values: Values
) -> str | None:
    # the type of a date or time, if its values show that its name stands for another one
    has_years = values.integers and values.whole_digits <= YEAR_DIGITS
    has_times = values.datetimes and not values.dates
    is_held = values.datetimes or values.instants or values.numbers
    has_nanos = values.fraction_digits > MAX_FRACTION and not is_held
    # OMS calls times of Oracle DATETIME, with whatever precision, and even with a zone
    may_differ = family == "oracle" and not type_text.startswith("io.debezium.")
    match spark_type, encoding:
        # drivers report MySQL's YEAR as a date
        case "date", "" if values.integers:
            return "int"
        case "date", "epoch_millis_nanos" if has_years:
            return "int"
        # Oracle's has a time of day; MySQL's may come with a midnight
        case "date", "" if has_times and family != "mysql":
            return "timestamp_ntz"
        case "timestamp_ntz", _ if values.instants and may_differ:
            return "timestamp"
        case "timestamp_ntz" | "timestamp", _ if has_nanos and may_differ:
            return "string"
        case _:
            return None


def _filled_in(encoding: str, spark_type: str, arguments: str, numbers: list[int]) -> str:
    # an encoding with the arguments of the type, if it takes any
    if digits := digits_of(spark_type):
        # SQL Server's MONEY, which messages have as a decimal
        encoding = encoding.replace("(s)", f"({digits[1]})")
    # a type without a length has none in its encoding
    encoding = encoding.replace("(n)", f"({numbers[0]})" if numbers else "")
    if encoding in ("enum(labels)", "set(labels)"):
        labels = re.findall("'(?:[^']|'')*'", arguments)
        encoding = f"{encoding.split('(')[0]}({','.join(labels)})" if labels else ""
    return encoding


def _any_number(kind: str, values: Values) -> Declaration:
    # The dialect has one name for all integers, and one for all other numbers. Values with more
    # digits than the usual type holds show that the column is a decimal.
    is_longer = (
        values.whole_digits > 18
        if kind == "integer"
        else values.whole_digits > 15 or values.significant_digits > 17
    )
    if values.numbers and is_longer:
        return Declaration(decimal_of(values), inferred=True)
    return Declaration("bigint" if kind == "integer" else "double from exact", not values.count)


def _decimal(numbers: list[int], encoding: str, values: Values) -> Declaration:
    # Without a precision, the values tell how many digits there are after the point. If those turn
    # out too few, values go to `_undecodable` and are never rounded.
    if encoding.startswith("base64_unscaled") and values.numbers:
        # Debezium's converter with decimal.format=NUMERIC: hardly any Base64 reads as a number, but
        # digits alone are Base64 too, so the declaration has to say what they are
        encoding = "bare"
    inferred = not numbers
    precision = numbers[0] if numbers else MAX_PRECISION
    scale = numbers[1] if len(numbers) > 1 else 0 if numbers else values.fraction_digits
    encoding = encoding.replace("(s)", f"({scale})")
    if scale < 0:
        # a negative scale: digits before the point that are always zero
        precision, scale = precision - scale, 0
    if inferred and encoding not in ("", "bare", "extended_json"):
        # encoded values do not tell their digits
        return Declaration.of("string", encoding)
    if (
        precision > MAX_PRECISION
        or scale > precision
        or values.whole_digits + scale > MAX_PRECISION
    ):
        return Declaration.of("string", encoding, inferred)
    return Declaration.of(f"decimal({precision},{scale})", encoding, inferred)
