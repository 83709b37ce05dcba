"""Huawei DRS in JSON-C: like DRS's JSON of MySQL, but deleted rows in `data`, TIMESTAMP as text."""

from collections.abc import Callable
from functools import partial
from zoneinfo import ZoneInfo

from changes import Change, Message
from dialects import drs_json
from dialects._shared import digits_of, gson, moment_text

FORMAT = "drs_json_c"
ZONE = "Asia/Shanghai"
KEY_KNOWN = True

# The document's pattern ends with the seconds. So does its pattern of DATETIME, which has the
# column's fraction in the sample, so TIMESTAMP is assumed to have it too.
_text = partial(
    drs_json.mysql_text,
    other={
        "timestamp": lambda column, value: moment_text(
            value.astimezone(ZoneInfo(ZONE)), digits_of(column)
        )
    },
)


def encode(change: Change, diff: bool = False) -> list[Message]:
    """Return one message; with `diff` an update's old row has only the changed columns."""
    body = drs_json.mysql_body(change, _text, diff)
    if change.operation == "delete":
        body |= {"data": body["old"], "old": None}
    return [Message(gson(body).encode())]


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "only_changed": partial(encode, diff=True),
}
