"""What sample messages of a new format tell of it: its parser's first draft is made of this."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeGuard

from changelake.core.errors import UserError, os_reason
from changelake.core.quoting import sql_name

Json = dict[str, Any]
FieldPath = tuple[str, ...]

# What producers call the parts of a message, in lower case and without underscores, best first.
NAMES = {
    "operation": "op optype operationtype operation eventtype evt dmltype action type kind",
    "database": "database databasename db dbname",
    "schema": "schema schemaname",
    "table": "table tablename tbl",
    "committed": "es committime committs commitms committedat opts eventtime tsms ts timestamp"
    " time",
    "captured": "ts tsms createtime currentts capturetime processtime timestamp",
    "sql": "sql ddl query statement stmt",
    "source": "dbtype databasetype connector sourcetype",
    "server": "server srv servername sourcename tenant",
    "position": "pos position sourceposition binlogposition logposition lsn scn",
    "transaction": "gtid txid xid transactionid",
    "keys": "pknames primarykeys primarykey primarykeycolumns pk keycolumns keys",
    "types": "mysqltype columntypes types sqltype cols",
    "before": "before old pre beforeimage oldrow",
    "after": "after data new post afterimage newrow row columns",
}  # fmt: skip
# What an operation's code begins with, in lower case, and its event type and operation.
_MEANINGS = (
    (r"i$|ins|c$|put|add", "row", "insert"),
    (r"u$|upd", "row", "update"),
    (r"d$|del|remove", "row", "delete"),
    (r"r$|read|init|snap|boot", "row", "snapshot"),
    (r"t$|trunc", "truncate", ""),
    (r"begin|start", "transaction", "begin"),
    (r"commit|end", "transaction", "commit"),
    (r"heart|hb", "heartbeat", ""),
    (r"check|control", "control", ""),
    (r".*(ddl|query|create|alter|drop|erase|rename|index)", "schema", "other"),
)
# What a person can say that a code means.
MEANINGS = {
    "insert": ("row", "insert"), "update": ("row", "update"), "delete": ("row", "delete"),
    "snapshot": ("row", "snapshot"), "ddl": ("schema", "other"), "truncate": ("truncate", ""),
    "begin": ("transaction", "begin"), "commit": ("transaction", "commit"),
    "heartbeat": ("heartbeat", ""), "control": ("control", ""),
}  # fmt: skip


@dataclass(frozen=True)
class Code:
    """An operation's code, as a line of the seed operation_codes has it.

    Attributes:
        code: as the messages write it.
        event_type, operation: what its name says that it means; both empty where that is not clear.
    """

    code: str
    event_type: str
    operation: str


class MessageShape:
    """The fields of some messages, and which of them is what.

    Args:
        texts: the messages, each a JSON object.
        fields: of each part of NAMES that a person names, its field, such as `source.ts_ms`.
        meanings: of each code whose meaning a person gives, one of MEANINGS.

    Raises:
        UserError: there is no such part or meaning, or no message has the field or code.
    """

    def __init__(
        self,
        texts: Sequence[str],
        fields: Mapping[str, str] | None = None,
        meanings: Mapping[str, str] | None = None,
    ) -> None:
        self.texts = list(texts)
        self.messages: list[Json] = [json.loads(text) for text in texts]
        named = {part: self._named(part, field) for part, field in (fields or {}).items()}
        self.paths = {part: named.get(part) or self._find(part) for part in NAMES}
        self.paths["operation"] = self.paths["operation"] or self._find_codes()
        if self.paths["captured"] == self.paths["committed"]:
            self.paths["captured"] = ()
        self._meanings = dict(meanings or {})
        for code, meaning in self._meanings.items():
            if meaning not in MEANINGS:
                raise UserError(f"--code {code}={meaning}: give one of {', '.join(MEANINGS)}")
            if code not in map(self.code_of, self.messages):
                raise UserError(f"--code {code}={meaning}: no sample message has this code")

    @property
    def unknown(self) -> list[str]:
        """Return the parts that no field was found for."""
        return [part for part, path in self.paths.items() if not path]

    @property
    def fields(self) -> str:
        """Return the fields as Spark's DDL; scalars are texts, images are maps of texts."""
        return self._fields(self.messages)

    @cached_property
    def codes(self) -> list[Code]:
        """Return the codes of the operations, in the order in which they come."""
        found = dict.fromkeys(self.code_of(one) for one in self.messages)
        return [Code(code, *self._meaning(code)) for code in found if code]

    def _meaning(self, code: str) -> tuple[str, str]:
        return MEANINGS[self._meanings[code]] if code in self._meanings else _meaning(code)

    @cached_property
    def has_old_values(self) -> bool:
        """Return whether the row before an update holds only what the update changed."""
        return any(self.lacks_columns(self.messages[n]) for n in self.of("row", "update"))

    @cached_property
    def deletes_after(self) -> bool:
        """Return whether a deleted row stands where the row after a change does."""
        return any(
            self.rows(self.messages[n], "after") and not self.rows(self.messages[n], "before")
            for n in self.of("row", "delete")
        )

    @property
    def has_lists(self) -> bool:
        """Return whether a message can hold several rows."""
        return any(is_list(value_at(one, self.paths["after"])) for one in self.messages)

    @property
    def has_bare_numbers(self) -> bool:
        """Return whether values of rows stand as numbers, and not as texts."""
        return any(
            isinstance(value, int | float) and not isinstance(value, bool)
            for message in self.messages
            for row in (*self.rows(message, "before"), *self.rows(message, "after"))
            for value in row.values()
        )

    def code_of(self, message: Json) -> str:
        """Return the code of a message's operation, empty where it has none."""
        code = value_at(message, self.paths["operation"])
        # a number or a boolean as Spark reads it
        return code if isinstance(code, str) else "" if code is None else json.dumps(code)

    def rows(self, message: Json, part: str) -> list[Json]:
        """Return the rows that a message holds as `before` or `after`."""
        image = value_at(message, self.paths[part])
        return [one for one in (image if is_list(image) else [image]) if is_object(one)]

    def code(self, event_type: str, operation: str) -> str | None:
        """Return the first code that means this."""
        means = (event_type, operation)
        found = [one.code for one in self.codes if (one.event_type, one.operation) == means]
        return found[0] if found else None

    def changes_key(self, message: Json) -> bool:
        """Return whether an update changes the key: by its name, else the row's first column."""
        before, after = self.rows(message, "before"), self.rows(message, "after")
        if not before or not after:
            return False
        named = value_at(message, self.paths["keys"])
        key = named if is_list(named) else list(after[0])[:1]
        return any(name in before[0] and before[0][name] != after[0].get(name) for name in key)

    def holds_bytes(self, message: Json) -> bool:
        """Return whether the row after a change has a column whose type says that it is binary."""
        types = value_at(message, self.paths["types"])
        return is_object(types) and any(
            row.get(name) is not None
            for name, type_name in types.items()
            if re.search(r"(?i)binary|blob|bytea|^raw", str(type_name))
            for row in self.rows(message, "after")
        )

    def lacks_columns(self, message: Json) -> bool:
        """Return whether the row before the change has other columns than the row after it."""
        before, after = self.rows(message, "before"), self.rows(message, "after")
        return bool(before and after) and any(
            old.keys() != new.keys() for old, new in zip(before, after, strict=False)
        )

    def of(self, event_type: str, operation: str | None = None) -> list[int]:
        """Return the places of the messages with an operation that means this."""
        meant = {
            one.code
            for one in self.codes
            if one.event_type == event_type and operation in (None, one.operation)
        }
        return [n for n, one in enumerate(self.messages) if self.code_of(one) in meant]

    def sql(self, part: str) -> str:
        """Return a part of the message as an expression, empty where no field is like it."""
        return ".".join(["message", *map(_quoted, path)]) if (path := self.paths[part]) else ""

    def _fields(self, objects: Sequence[Any], place: FieldPath = ()) -> str:
        """Return the fields of objects that stand at one place."""
        found: dict[str, list[Any]] = {}
        for one in filter(is_object, objects):
            for name, value in one.items():
                # no part of a message is called by what would end the text that the names stand in
                if re.fullmatch(r"[^\"'`\\{}\x00-\x1f]+", name):
                    found.setdefault(name, []).append(value)
        return ", ".join(
            f"{_quoted(name)}: {self._type(values, (*place, name))}"
            for name, values in found.items()
        )

    def _type(self, values: Sequence[Any], path: FieldPath) -> str:
        if path in (self.paths["before"], self.paths["after"]):
            image = "map<string, string>"
            return f"array<{image}>" if any(map(is_list, values)) else image
        if path == self.paths["keys"]:
            return "array<string>"
        # on the way to a part of the message; any other object or list is kept as text
        if any(one[: len(path)] == path and one != path for one in self.paths.values()):
            return f"struct<{self._fields(values, path)}>"
        return "string"

    def _find(self, part: str) -> FieldPath:
        wanted = NAMES[part].split()
        kinds = {"before": _is_image, "after": _is_image, "keys": is_list, "types": is_object}
        is_right = kinds.get(part, _is_scalar)
        found = [
            (wanted.index(name), len(path), path)
            for path in dict.fromkeys(path for one in self.messages for path in _paths(one))
            if (name := path[-1].lower().replace("_", "")) in wanted
            if any(is_right(value_at(one, path)) for one in self.messages)
        ]
        return min(found, default=(0, 0, ()))[2]

    def _named(self, part: str, field: str) -> FieldPath:
        if part not in NAMES:
            raise UserError(f"--field {part}={field}: give one of {', '.join(NAMES)}")
        path = tuple(field.split("."))
        if all(value_at(one, path) is None for one in self.messages):
            raise UserError(f"--field {part}={field}: no sample message has this field")
        return path

    def _find_codes(self) -> FieldPath:
        """Return the field whose every text is the name of an operation, whatever it is called."""
        texts: dict[FieldPath, set[str]] = {}
        for one in self.messages:
            for path in _paths(one):
                if isinstance(text := value_at(one, path), str):
                    texts.setdefault(path, set()).add(text)
        found = [
            path
            for path, codes in texts.items()
            if len(codes) > 1 and all(_meaning(code)[0] for code in codes)
        ]
        return min(found, key=len, default=())


def read_messages(file: Path) -> list[str]:
    """Return the messages of a file, one a line.

    Raises:
        UserError: the file cannot be read, has none, or a line is not a JSON object.
    """
    try:
        # JSON may hold what else ends a line for Python, such as U+2028
        lines = [line.strip() for line in file.read_text(encoding="utf-8").split("\n")]
    except (OSError, UnicodeDecodeError) as error:
        reason = os_reason(error) if isinstance(error, OSError) else "it is not UTF-8"
        raise UserError(f"{file} cannot be read: {reason}") from None
    for number, line in enumerate(lines, 1):
        try:
            is_message = not line or is_object(json.loads(line))
        except ValueError:
            is_message = False
        if not is_message:
            raise UserError(f"{file}, line {number} is not a JSON object: write one message a line")
    if not any(lines):
        raise UserError(f"{file} has no message: write some, one a line")
    return [line for line in lines if line]


def is_object(value: Any) -> TypeGuard[Json]:
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _is_image(value: Any) -> bool:
    """Say whether this can be a row, or a list of rows."""
    rows: list[Any] = value if is_list(value) and value else [value]
    return all(is_object(one) for one in rows)


def value_at(message: Any, path: FieldPath) -> Any:
    """Return what stands at a path, None where there is nothing or no path."""
    value = message if path else None
    for name in path:
        value = value.get(name) if is_object(value) else None
    return value


def _paths(message: Json, depth: int = 3) -> Iterator[FieldPath]:
    """Give the paths of a message's fields, without what stands inside its images."""
    images = f"{NAMES['before']} {NAMES['after']}".split()
    for name, value in message.items():
        yield (name,)
        is_image = name.lower().replace("_", "") in images
        if depth > 1 and is_object(value) and not is_image:
            yield from ((name, *path) for path in _paths(value, depth - 1))


def _meaning(code: str) -> tuple[str, str]:
    for begin, event_type, operation in _MEANINGS:
        if re.match(begin, code.lower()):
            return event_type, operation
    return "", ""


def _quoted(name: str) -> str:
    is_plain = re.fullmatch(r"[A-Za-z_]\w*", name)
    reserved = ("before", "after", "database", "table", "schema", "end", "order", "from", "to")
    return name if is_plain and name.lower() not in reserved else sql_name(name)
