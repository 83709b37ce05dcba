"""Type names at the source: their parts, their database families, their rules in the seed."""

import csv
import re
from collections.abc import Iterable
from functools import cache

from changelake.core import settings
from changelake.core.macros import format_traits
from changelake.onboarding.values import MAX_PRECISION

# The length that Debezium gives to a bit string without a limit.
NO_LENGTH = str(2**31 - 1)
# Dialects have several names for a family of databases, which shares its types.
_FAMILIES = {
    "mariadb": "mysql",
    "taurusdb": "mysql",
    "tidb": "mysql",
    "ticdc": "mysql",
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


def database_family(source_type: str) -> str:
    """Return the family of databases that a name belongs to; other names are families of their own.

    >>> database_family("mariadb"), database_family("ticdc"), database_family("sqlserver")
    ('mysql', 'mysql', 'sqlserver')
    """
    return _FAMILIES.get(source_type, source_type)


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


def rule_of(
    format_id: str, source_type: str, name: str, is_declared: bool = False
) -> tuple[str, str] | None:
    """Return the Spark type and the encoding of a type's name in seeds/source_types.csv, if any.

    Args:
        format_id: the dialect, for its encodings.
        source_type: the database, as the events say it; empty if they do not.
        name: the type's name in lower case, with or without what stands in its parentheses.
        is_declared: it is the database's name, not the dialect's: `int8` has one byte in Debezium's
            messages, and eight in PostgreSQL.
    """
    family = database_family(source_type)
    keys = [(format_id, family, name), (format_id, "", name), ("", family, name)]
    if is_declared and format_traits(format_id)["encodings"]:
        del keys[1]
    return next((_rules()[key] for key in keys if key in _rules()), None)


def has_own_types(format_id: str) -> bool:
    """Say whether a dialect has type names of its own, the same for every database."""
    named_as = format_traits(format_id)["encodings"] or format_id
    return any(key[:2] == (named_as, "") for key in _rules())


def split_type(text: str) -> tuple[str, str]:
    """Split a type into its name, in lower case, and its arguments.

    >>> split_type("decimal(10,2) unsigned zerofill")
    ('decimal unsigned', '10,2')
    """
    # Oracle's `interval day(2) to second(6)`
    text = re.sub(r"^(\s*interval\s+day)\s*\(\d+\)", r"\1", text, flags=re.IGNORECASE)
    before, opened, rest = text.strip().partition("(")
    arguments, closed, after = (rest if opened else before).rpartition(")")
    if opened and (not closed or "(" in after):
        return text.strip().lower(), ""
    if not opened:
        before, arguments = f"{arguments}{closed}", ""
    # bytes differ from text
    charset = r"(?:charset|character set(?!\s+binary\b))\s.*"
    after = re.sub(
        rf"\b(zerofill|identity|not null|null|{charset}|collate .*)\b", "", after.lower()
    )
    return " ".join(f"{before} {after}".lower().split()), arguments.strip()


def connect_type(text: str) -> tuple[str, str] | None:
    """Split a type of Kafka Connect likewise; None if it is not one.

    >>> connect_type("org.apache.kafka.connect.data.Decimal:scale=2,precision=10")
    ('org.apache.kafka.connect.data.decimal', '10,2')
    """
    name, colon, parameters = text.partition(":")
    if not colon or "=" not in parameters:
        return None
    given = dict(part.split("=", 1) for part in parameters.split(",") if "=" in part)
    if "scale" in given:
        return name.lower(), f"{given.get('precision', MAX_PRECISION)},{given['scale']}"
    length = given.get("length", "")
    return name.lower(), "" if length == NO_LENGTH else length


def element_of(text: str) -> str | None:
    """Return the type of an array's elements, None if it is not an array.

    Args:
        text: an array's type as Debezium's schema part has it, or as PostgreSQL writes it.

    >>> element_of("array<int32>"), element_of("numeric(10,2)[]"), element_of("_int4")
    ('int32', 'numeric(10,2)', 'int4')
    """
    for form in (r"array<(.+)>", r"(.*\S)\s*\[\d*\]", r"_(\w+)", r"(.+)\sarray"):
        if found := re.fullmatch(form, text.strip(), re.IGNORECASE):
            return found[1]
    return None


# In MySQL these do not exist, or have a length or labels in parentheses.
_ONLY_OMS = {"int64", "varchar", "varbinary", "enum", "set"}
# MySQL reports these in full too, but Canal repeats types as a DDL statement wrote them.
_RATHER_OMS = {"char", "decimal", "numeric", "binary", "bit"}
# Oracle's types, which MySQL lacks; Canal reads only MySQL.
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
    return database_family(source_type)


def dialects_of(format_id: str, types: Iterable[str]) -> list[str]:
    """Return the dialects whose types a table can have, the likelier first.

    OMS also writes Canal's messages, with types of its own: bare names. Canal's are MySQL's.

    Args:
        format_id: the dialect of the messages.
        types: the types of all columns, which together decide.

    >>> dialects_of("canal", ["bigint", "varchar"]), dialects_of("canal", ["int(11)", "decimal"])
    (['oceanbase_default_extended'], ['canal'])
    >>> dialects_of("canal", ["bigint", "char"]), dialects_of("canal", ["bigint", "text"])
    (['oceanbase_default_extended', 'canal'], ['canal', 'oceanbase_default_extended'])
    >>> dialects_of("debezium_avro", ["int32"])
    ['debezium']
    """
    names = {" ".join(text.lower().split()) for text in types}
    if family_of(format_id, "", names) == "oracle":
        return ["oceanbase_default_extended"]
    if format_id != "canal" or any("(" in name or " unsigned" in name for name in names):
        return [format_traits(format_id)["encodings"] or format_id]
    if names & _ONLY_OMS:
        return ["oceanbase_default_extended"]
    both = ["canal", "oceanbase_default_extended"]
    return both[::-1] if names & _RATHER_OMS else both
