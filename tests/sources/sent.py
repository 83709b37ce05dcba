"""Values that producers do not send as the database has them: the list in docs/formats, as code.

Each function takes a value in the normal form of its kind and returns what arrives instead. A cell
must equal one of the two.
"""

import base64
from typing import Any

from columns import canonical
from pipeline import OneOf, Undecodable


def as_signed(number: int) -> int:
    """Unsigned 64-bit integers with bigint.unsigned.handling.mode=long, the default, are signed."""
    return number - 2**64 if number >= 2**63 else number


def adjusted_year(text: str) -> str:
    """Years before 100 with enable.time.adjuster=true, the default, become 1970 to 2069."""
    year = int(text[:4])
    return f"{year + (2000 if year < 70 else 1900)}{text[4:]}" if year < 100 else text


def float_of_snapshot(number: float | str) -> float | str:
    """MariaDB's FLOAT: snapshots have the six digits that MariaDB displays, streams are exact."""
    return canonical("float", f"{number:.5e}")


def label(text: str) -> str:
    """MySQL's ENUM labels with a comma: streams, not snapshots, put a backslash before it."""
    return text.replace(",", "\\,")


def time_of_day(text: str) -> str | None:
    """MySQL's TIME with time.precision.mode=isostring is null if negative or over a day."""
    return None if text.startswith("-") or int(text.split(":")[0]) > 23 else text


def midnight(text: str) -> str:
    """PostgreSQL's time 24:00:00 with time.precision.mode=isostring becomes 00:00:00."""
    return "00:00:00" if text == "24:00:00" else text


def as_it_is_or_null(text: str) -> OneOf:
    """A large bytea with binary.handling.mode=base64 is null where it has not changed."""
    return OneOf((text, None))


def in_url_base64(text: str) -> str:
    """Binary values with binary.handling.mode=base64-url-safe are text."""
    return base64.urlsafe_b64encode(bytes.fromhex(text)).decode()


def all_bits(text: str) -> str:
    """PostgreSQL's bit varying(12), typed by the schema part alone, is padded to full length."""
    return text.zfill(12)


def without_zeros(text: str) -> str:
    """PostgreSQL's bit varying loses its leading zeros, which are not sent."""
    return text.lstrip("0") or "0"


def _bit_set(text: str) -> str:
    number = int(text, 2)
    return base64.b64encode(number.to_bytes((number.bit_length() + 7) // 8, "little")).decode()


def bit_number(text: str) -> Any:
    """PostgreSQL's bits become a number, like MySQL's, if the row does not name its source."""
    number = int(text or "0", 2)
    return str(number) if number < 2**64 else Undecodable(_bit_set(text))


def in_millis(times: list[str | None]) -> list[str | None]:
    """PostgreSQL's time[] is truncated to milliseconds."""
    return [time and canonical("time", time[:12]) for time in times]


def duration(interval: tuple[int, int, int]) -> Any:
    """PostgreSQL's interval is by default sent in microseconds, with months of 30.4375 days."""
    months, days, micros = interval
    return "microseconds", round((months * 30.4375 + days) * 86_400_000_000) + micros


def in_other_characters(codec: str) -> Any:
    """Canal's text in another character set than the connection's: its bytes read as UTF-8."""
    return lambda text: text.encode(codec).decode("utf-8", "replace")


def unknown(value: Any) -> Undecodable:
    """A large value left unchanged by a key change of its row: PostgreSQL does not send it."""
    return Undecodable(None)
