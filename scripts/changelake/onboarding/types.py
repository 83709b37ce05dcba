"""From a column's type at the source, or from its values, to its declaration in a current model."""

import csv
import re
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from typing import Any

from changelake.core import settings

MAX_PRECISION = 38
MAX_FRACTION = 6
YEAR_DIGITS = 4
# Dialects name one family of databases in several ways; the types are the family's.
FAMILIES = {
    "mariadb": "mysql",
    "taurusdb": "mysql",
    "tidb": "mysql",
    "polardb": "mysql",
    "drds": "mysql",
    "oceanbase": "mysql",
    "ob_mysql": "mysql",
    "oceanbase_mysql": "mysql",
    "ob_oracle": "oracle",
    "ob_in_oracle_mode": "oracle",
    "oceanbase_oracle": "oracle",
    "postgres": "postgresql",
    "ppas": "postgresql",
}


@dataclass(frozen=True)
class Values:
    """What the non-null values of a column look like, over all seen events.

    Attributes:
        count: how many there are.
        integers, numbers, booleans, dates, datetimes, instants, epochs: whether all are that.
        whole_digits, fraction_digits: the most digits before and behind the point, of numbers.
        kinds: the BSON types, of a MongoDB collection's fields.
    """

    count: int = 0
    integers: bool = False
    numbers: bool = False
    booleans: bool = False
    dates: bool = False
    datetimes: bool = False
    instants: bool = False
    epochs: bool = False
    whole_digits: int = 0
    fraction_digits: int = 0
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
        return Values(self.count + other.count, *(both(*pair) for pair in pairs))


@dataclass(frozen=True)
class Declaration:
    """How a column is declared: `<spark type>[ from <encoding>]`, and whether that was a guess."""

    text: str
    inferred: bool = False


@cache
def _rules() -> dict[tuple[str, str, str], tuple[str, str]]:
    with (settings.REPO / "seeds" / "source_types.csv").open(newline="", encoding="utf-8") as file:
        return {
            (row["format"], row["source_type"], row["type_name"].lower()): (
                row["spark_type"],
                row["encoding"],
            )
            for row in csv.DictReader(file)
        }


def _rule(format_id: str, source_type: str, name: str) -> tuple[str, str] | None:
    family = FAMILIES.get(source_type, source_type)
    for key in ((format_id, family, name), (format_id, "", name), ("", family, name)):
        if key in _rules():
            return _rules()[key]
    return None


def split_type(text: str) -> tuple[str, str]:
    """Take a type's name and what stands in its parentheses apart, the name in lower case.

    >>> split_type("decimal(10,2) unsigned zerofill")
    ('decimal unsigned', '10,2')
    """
    before, opened, rest = text.strip().partition("(")
    arguments, closed, after = (rest if opened else before).rpartition(")")
    if opened and (not closed or "(" in after):
        return text.strip().lower(), ""
    if not opened:
        before, arguments = f"{arguments}{closed}", ""
    if before.strip().lower() not in ("enum", "set"):
        after = re.sub(
            r"\b(zerofill|identity|not null|null|charset .*|collate .*)\b", "", after.lower()
        )
    return " ".join(f"{before} {after}".lower().split()), arguments.strip()


def _connect_type(text: str) -> tuple[str, str] | None:
    # Kafka Connect's types as parse_debezium writes them: `…data.Decimal:scale=2,precision=10`
    name, colon, parameters = text.partition(":")
    if not colon or "=" not in parameters:
        return None
    given = dict(part.split("=", 1) for part in parameters.split(",") if "=" in part)
    if "scale" in given:
        return name.lower(), f"{given.get('precision', MAX_PRECISION)},{given['scale']}"
    return name.lower(), given.get("length", "")


# MySQL has no such types: of its own, these have a length or labels in parentheses.
_ONLY_OMS = {"int64", "varchar", "varbinary", "enum", "set"}
# It has these in full too, but Canal passes on what a statement of DDL leaves out.
_RATHER_OMS = {"char", "decimal", "numeric", "binary", "bit"}
# Nor has it these, which are Oracle's; Canal reads MySQL alone.
_ORACLES = {
    "binary_double", "binary_float", "clob", "nclob", "number", "nvarchar2", "raw", "varchar2",
}  # fmt: skip


def family_of(format_id: str, source_type: str, types: Iterable[str]) -> str:
    """Return the family of databases whose types a table has.

    Args:
        format_id: the dialect of the messages.
        source_type: the database, as the events say it; Canal's say MySQL of an Oracle tenant too.
        types: the types of the table's columns.

    >>> family_of("canal", "mysql", ["NUMBER(10,2)"]), family_of("canal", "mysql", ["decimal"])
    ('oracle', 'mysql')
    """
    if format_id == "canal" and any(split_type(text)[0] in _ORACLES for text in types):
        return "oracle"
    return FAMILIES.get(source_type, source_type)


def dialects_of(format_id: str, types: Iterable[str]) -> list[str]:
    """Return the dialects whose types a table can have, the likelier first.

    OMS also writes Canal's messages, with types of its own: bare names. Canal's are MySQL's.

    Args:
        format_id: the dialect of the messages.
        types: the types of the table's columns; all of them tell together.

    >>> dialects_of("canal", ["bigint", "varchar"]), dialects_of("canal", ["int(11)", "decimal"])
    (['oceanbase_default_extended'], ['canal'])
    >>> dialects_of("canal", ["bigint", "char"]), dialects_of("canal", ["bigint", "text"])
    (['oceanbase_default_extended', 'canal'], ['canal', 'oceanbase_default_extended'])
    """
    names = {" ".join(text.lower().split()) for text in types}
    if family_of(format_id, "", names) == "oracle":
        return ["oceanbase_default_extended"]
    if format_id != "canal" or any("(" in name or " unsigned" in name for name in names):
        return [format_id]
    if names & _ONLY_OMS:
        return ["oceanbase_default_extended"]
    both = ["canal", "oceanbase_default_extended"]
    return both[::-1] if names & _RATHER_OMS else both


def declare(format_id: str, source_type: str, type_text: str | None, values: Values) -> Declaration:
    """Declare a column.

    Args:
        format_id: the dialect, for its encodings.
        source_type: the database, as the events say it; empty if they do not.
        type_text: the declared type at the source, for example `decimal(10,2) unsigned`; None
            where the dialect carries none: then the values decide.
        values: what its values look like.
    """
    if not type_text and values.kinds:
        found = declare(format_id, source_type, bson_type(values.kinds), values)
        return Declaration(found.text, inferred=True)
    if not type_text:
        return Declaration(infer(values), inferred=True)
    name, arguments = _connect_type(type_text) or split_type(type_text)
    rule = (
        _rule(format_id, source_type, f"{name}({arguments})")
        or _rule(format_id, source_type, name)
        or _rule(format_id, source_type, name.removesuffix(" unsigned").removesuffix(" signed"))
    )
    if rule is None:
        return Declaration("string", inferred=True)
    spark_type, encoding = rule
    if spark_type in ("integer", "number"):
        return _any_number(spark_type, values)
    # `number(*,0)` of Oracle's has as many digits as there can be
    texts = re.findall(r"-?\d+|\*", arguments) if "(" not in arguments else []
    # more digits than any type has are too many for int() too
    numbers = [MAX_PRECISION if text == "*" else int(text[:9]) for text in texts]
    if spark_type == "decimal(p,s)":
        if name == "float":
            # Oracle's, whose precision is one of bits
            numbers = []
        return _decimal(numbers, encoding, values)
    if (
        spark_type == "date"
        and values.integers
        and (
            not encoding
            or (encoding == "epoch_millis_nanos" and values.whole_digits <= YEAR_DIGITS)
        )
    ):
        # drivers call MySQL's YEAR a date
        return Declaration("int", inferred=True)
    if (
        spark_type == "date"
        and not encoding
        and values.datetimes
        and FAMILIES.get(source_type, source_type) != "mysql"
    ):
        # Oracle's has a time of day; MySQL's may come with a midnight
        return Declaration("timestamp_ntz", inferred=True)
    if (
        spark_type == "timestamp_ntz"
        and values.instants
        and FAMILIES.get(source_type, source_type) == "oracle"
    ):
        # OMS calls all of its times DATETIME, those with a zone too
        return Declaration("timestamp", inferred=True)
    if spark_type.startswith("timestamp") and numbers and numbers[0] > MAX_FRACTION:
        return Declaration("string")
    # a length that the type does not say changes nothing
    encoding = encoding.replace("(n)", f"({numbers[0]})" if numbers else "")
    if encoding in ("enum(labels)", "set(labels)"):
        labels = re.findall("'(?:[^']|'')*'", arguments)
        encoding = f"{encoding.split('(')[0]}({','.join(labels)})" if labels else ""
    return Declaration(f"{spark_type} from {encoding}" if encoding else spark_type)


def _any_number(kind: str, values: Values) -> Declaration:
    # A dialect that has one name for all integers, and one for all other numbers: a decimal among
    # them shows by digits that the usual type does not have.
    if values.numbers and values.whole_digits > (18 if kind == "integer" else 15):
        return Declaration(_decimal_of(values), inferred=True)
    return Declaration("bigint" if kind == "integer" else "double from exact", not values.count)


def _decimal(numbers: list[int], encoding: str, values: Values) -> Declaration:
    # Without precision the values tell how many digits stand behind the point; too few there
    # show in `_undecodable`, never as a rounded number.
    if encoding.startswith("base64_unscaled") and values.numbers:
        # Debezium's converter with decimal.format=NUMERIC: hardly any Base64 reads as a number
        encoding = ""
    inferred = not numbers
    precision = numbers[0] if numbers else MAX_PRECISION
    scale = numbers[1] if len(numbers) > 1 else 0 if numbers else values.fraction_digits
    encoding = encoding.replace("(s)", f"({scale})")
    if scale < 0:
        # digits in front of the point that are always zero
        precision, scale = precision - scale, 0
    written = f" from {encoding}" if encoding else ""
    if inferred and encoding not in ("", "extended_json"):
        # the values are no plain text, so they do not tell
        return Declaration(f"string{written}")
    if (
        precision > MAX_PRECISION
        or scale > precision
        or values.whole_digits + scale > MAX_PRECISION
    ):
        return Declaration(f"string{written}", inferred)
    return Declaration(f"decimal({precision},{scale}){written}", inferred)


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


def _decimal_of(values: Values) -> str:
    fits = values.whole_digits + values.fraction_digits <= MAX_PRECISION
    return f"decimal({MAX_PRECISION},{values.fraction_digits})" if fits else "string"


def infer(values: Values) -> str:
    """Declare a column by its values alone."""
    if not values.count:
        return "string"
    if values.booleans:
        return "boolean from exact"
    if values.epochs:
        return "timestamp from epoch_seconds"
    # not every text that reads as a number later is one: 01067
    if values.integers and values.whole_digits <= 18:
        return "bigint from exact"
    if values.numbers:
        decimal = _decimal_of(values)
        return decimal if decimal == "string" else f"{decimal} from exact"
    if values.dates:
        return "date"
    if values.datetimes:
        return "timestamp_ntz"
    if values.instants:
        return "timestamp"
    return "string"


_WHOLE_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}


def _digits(spark_type: str) -> tuple[int, int] | None:
    # The greatest whole number of an exact type, and its digits behind the point.
    if spark_type in _WHOLE_BITS:
        return 2 ** _WHOLE_BITS[spark_type] - 1, 0
    if match := re.fullmatch(r"decimal\((\d+)(?:,\s*(\d+))?\)", spark_type):
        precision, scale = int(match.group(1)), int(match.group(2) or 0)
        return 10 ** (precision - scale) - 1, scale
    return None


def holds(declared: str, needed: Declaration, values: Values) -> bool:
    """Say whether a declared column holds the values of one that needs another declaration.

    A declaration of quite another kind, as a person chooses it, is taken to hold them.

    Args:
        declared: `<spark type>[ from <encoding>]`.
        needed: what the source's type, or the values where it has none, need.
        values: what these look like.

    >>> holds("decimal(20,0)", Declaration("bigint"), Values())
    True
    >>> holds("decimal(10,2)", Declaration("decimal(12,4)"), Values())
    False
    """
    (one, encoding), (other, other_encoding) = _parts(declared), _parts(needed.text)
    have, need = _digits(one), _digits(other)
    if needed.inferred:
        # a guess is wider than need be
        return not (have and values.numbers) or (
            10 ** max(values.whole_digits - 1, 0) <= have[0] and values.fraction_digits <= have[1]
        )
    if have and need:
        return encoding == other_encoding and have[0] >= need[0] and have[1] >= need[1]
    if one == other:
        return encoding == other_encoding or (one == "string" and not encoding)
    return (one, other) != ("float", "double")


def _parts(declaration: str) -> tuple[str, str]:
    spark_type, _, encoding = declaration.partition(" from ")
    encoding = encoding.strip()
    # these read the same texts
    return spark_type.strip().lower(), "" if encoding in ("text", "exact") else encoding
