"""The source tables, in three dialects, that change while processes are killed."""

import json
import random

from streams import Message, Row, Source, work

# malformed in any dialect
BAD = b"{"


class StreamX(Source):
    """A source table whose updates are two messages each."""

    sequence = 0

    def empty(self, statement: str = "truncate") -> None:
        """Truncate or drop the table."""
        self.rows.clear()
        self.clock += 1
        self._keep([], [], emptied=True)
        self.sequence += 1
        op = "TRUNCATE" if statement == "truncate" else "ERASE"
        self._send(op, None, None, {"text": f"{statement} table {self.name}"})

    def _say(
        self, code: str, before: list[Row], after: list[Row], absent: tuple[str, ...] = (),
        spelled: Row | None = None, apart: bool = False,
    ) -> None:  # fmt: skip
        self.clock += 1
        self._keep(before, after, code)
        is_update = bool(before and after)
        for n in range(max(len(before), len(after))):
            self.sequence += 1
            if before:
                self._send("UPDATE_BEFOR" if is_update else "DELETE", before[n], None)
            if after:
                self._send("UPDATE_AFTER" if is_update else "INSERT", None, after[n])

    def _send(
        self, op: str, before: Row | None, after: Row | None, ddl: dict[str, str] | None = None
    ) -> None:
        source = {"dbType": "MySQL", "dbName": "st", "tableName": self.name}
        columns = [{"name": name, "type": kind} for name, kind in self.columns.items()]
        value = {
            "schema": {"dataColumn": columns, "primaryKey": self.key, "source": source},
            "payload": {
                "before": before and {"dataColumn": before},
                "after": after and {"dataColumn": after},
                "op": op, "sequenceId": str(self.sequence), "ddl": ddl,
                "timestamp": {"eventTime": self.clock * 1000, "systemTime": self.clock * 1000},
            },
        }  # fmt: skip
        self.pending.append(Message(0, None, json.dumps(value, ensure_ascii=False).encode()))


def source_tables() -> list[Source]:
    """Return the tables, all empty."""
    return [
        # upserts, deletes, keys that change and swap, truncations, drops, repeated changes
        Source("orders", "canal", _columns("bigint", "varchar(9)", "varchar(40)"), ["id"], 2),
        # partial images, and a key change in two messages
        Source("people", "debezium", _columns("int64", "string", "string"), ["id"]),
        # updates whose two messages can land in different runs
        StreamX("parcels", "dataworks_streamx", _columns("LONG", "STRING", "STRING"), ["id"]),
    ]


def _columns(*types: str) -> dict[str, str | None]:
    return dict(zip(("id", "name", "note"), types, strict=True))


def knows_versions(source: Source) -> bool:
    """Say whether its versions can be known: repeated changes of Canal have no position."""
    return source.format != "canal"


def next_messages(
    source: Source, chance: random.Random, steps: int, complete: bool
) -> list[Message]:
    """Change a table, and return what its producer sends next.

    Args:
        source: the table.
        chance: the random generator.
        steps: how many statements.
        complete: send all messages; otherwise some may be kept for the next time.
    """
    work(source, chance, steps)
    end = len(source.pending) - (0 if complete else min(chance.randrange(4), len(source.pending)))
    later = source.pending[end:]
    del source.pending[end:]
    sent = source.land()
    source.pending = later
    if chance.random() < 0.1:
        sent.insert(chance.randrange(len(sent) + 1), Message(0, None, BAD))
    return sent
