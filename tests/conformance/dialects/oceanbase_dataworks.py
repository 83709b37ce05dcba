"""OceanBase's OMS, serialization Dataworks 2.0: a schema with types, a payload of two images.

Decimals and doubles never have an exponent, however long they get.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from changes import DATABASE, KEY, TABLE, UTC, Change, Message, Row
from dialects._shared import (
    Bare,
    json_text,
    oceanbase_image,
    oceanbase_sequence,
    oceanbase_type,
    shortest,
)

FORMAT = "oceanbase_dataworks"
ZONE = "UTC"
KEY_KNOWN = True

Image = Callable[[Row | None], dict[str, Any] | None]


def plain(value: Decimal) -> str:
    """Return a number like Java's BigDecimal.toPlainString, as in the samples (line 589)."""
    return f"{value:f}"


image = partial(oceanbase_image, number=plain)
short_image = partial(image, double=shortest)


def epoch_image(row: Row | None) -> dict[str, Any] | None:
    """Return a row with DATETIME as in the template: milliseconds, a point, nine digits."""
    cells = short_image(row)
    if not row or not cells:
        return cells
    for column in row.columns:
        value = row[column.name]
        if column.base == "datetime" and value is not None:
            whole = int(value.replace(microsecond=0, tzinfo=UTC).timestamp())
            nanos = f".{value.microsecond:06}000" if value.microsecond else ""
            # The template describes 13 digits, so it cannot mean other years (line 449).
            if len(str(whole)) == 10 and whole > 0:
                cells[column.name] = Bare(f"{whole * 1000}{nanos}")
    return cells


def encode(change: Change, image: Image = image, like_template: bool = False) -> list[Message]:
    """Return the change's message; a row of a full load is an insert.

    Args:
        change: what happened.
        image: writes a row.
        like_template: types, times and numbers as in the template rather than in the samples.
    """
    milliseconds = int(change.at.timestamp() * 1000)
    times = {
        "eventTime": milliseconds,
        "systemTime": milliseconds + 795,
        "checkpointTime": milliseconds // 1000,
    }
    sequence = oceanbase_sequence(change)
    message = {
        "version": "2.0",
        "schema": {
            "source": {
                "dbType": "mysql" if like_template else "ob_mysql",
                "dbVersion": "5.7.35" if like_template else None,
                "dbName": DATABASE,
                "schema": None,
                "table": TABLE,
            },
            "column": [
                {"name": one.name, "type": one.type if like_template else oceanbase_type(one)}
                for one in change.columns
            ],
            "pk": [KEY],
        },
        "payload": {
            "before": change.before and {"data": image(change.before)},
            "after": change.after and {"data": image(change.after)},
            "op": "INSERT" if change.operation == "snapshot" else change.operation.upper(),
            "timestamp": {"eventTime": milliseconds} if like_template else times,
            "ddl": None,
            # increasing in the template (line 468), the text "null" in all samples
            "scn": str(sequence) if like_template else "null",
        },
    }
    if not like_template:
        message["extend"] = {"load_fm": "conformance"}
    return [Message(json_text(message).encode())]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "template": partial(encode, image=epoch_image, like_template=True),
}
