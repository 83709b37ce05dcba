"""Canal's messages, for tests that are not about its format."""

from collections.abc import Sequence
from typing import Any


def canal_message(
    kind: str,
    database: str,
    table: str,
    millis: int,
    data: Sequence[dict[str, Any] | None] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Return a message with rows or, without data, with a statement.

    Args:
        kind: Canal's name of the operation.
        database: the database at the source.
        table: the table at the source.
        millis: when the source committed the change and Canal wrote the message.
        data: the rows; their key is `id` unless a field says otherwise.
        fields: fields that differ from the usual ones.
    """
    return {
        "type": kind, "database": database, "table": table, "isDdl": data is None, "es": millis,
        "ts": millis, "id": 1, "sql": "", "pkNames": ["id"], "mysqlType": None, "data": data,
        "old": None, **fields,
    }  # fmt: skip
