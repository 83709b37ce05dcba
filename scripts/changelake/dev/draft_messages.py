"""The first draft of the functions that write a new format's messages in tests and benchmarks."""

import json
import re
from typing import Any

from changelake.dev.draft import fill
from changelake.dev.message_shape import (
    FieldPath,
    Json,
    MessageShape,
    is_list,
    is_object,
    value_at,
)

_CONTRACT_MESSAGE = '''\
def <format>(change: str, before: Any, after: Any) -> list[Message]:
    """TODO, whose message."""
'''
_BENCH_MESSAGE = '''\
def <format>() -> str:
    """Return the SQL of TODO, whose message."""
'''
_NO_CONTRACT_MESSAGE = (
    '    raise NotImplementedError("TODO: the message of each kind of change")\n\n\n'
)
_NO_BENCH_MESSAGE = '    raise NotImplementedError("TODO: the SQL of a message of 1.2 KB")\n\n\n'
_CHANGED = "{name: before[name] for name in before if before[name] != after[name]}"
_OPERATIONS = ("insert", "update", "delete")
# A value that stands for source, as long as the message is a tree; no producer writes such a text.
_PLACE = "\x01{}\x01"


class _Template:
    """A message of the samples, in which source takes the place of what every message has anew."""

    def __init__(self, shape: MessageShape, event_type: str) -> None:
        self.shape = shape
        self.sources: list[str] = []
        self.message: Json = {}
        for n in reversed(shape.of(event_type)):
            self.message = _laid_over(self.message, shape.messages[n])

    def put(self, part: str, source: str) -> None:
        """Put source where the message has this part, if it has it."""
        self._put(self.message, self.shape.paths[part], source)

    def value(self, part: str) -> Any:
        """Return what the message has as this part."""
        return value_at(self.message, self.shape.paths[part])

    def _put(self, message: Any, path: FieldPath, source: str) -> None:
        if not path or not is_object(message) or path[0] not in message:
            return
        if path[1:]:
            self._put(message[path[0]], path[1:], source)
        else:
            message[path[0]] = _PLACE.format(len(self.sources))
            self.sources.append(source)


def contract_writer(format_id: str, shape: MessageShape) -> str:
    """Return the function of contract_messages.py that writes a change as this format does."""
    head = fill(_CONTRACT_MESSAGE, format_id)
    codes = {one: shape.code("row", one) for one in ("snapshot", *_OPERATIONS)}
    if not all(codes[one] for one in _OPERATIONS):
        return head + _NO_CONTRACT_MESSAGE
    body = ""
    if shape.of("schema"):
        statement = _Template(shape, "schema")
        _name(statement)
        statement.put("sql", "DDL")
        written = f"statement: dict[str, Any] = {_python(statement, 8)}"
        body += f'    if change == "ddl":\n        {written}\n        return [(None, statement)]\n'
    row = _Template(shape, "row")
    _name(row)
    is_text = isinstance(row.value("operation"), str)
    kinds = {**codes, "key_change": codes["update"]}
    body += "    kinds = {\n"
    for change, code in kinds.items():
        if code:
            body += f'        "{change}": {_literal(code if is_text else json.loads(code))},\n'
    body += "    }\n"
    row.put("operation", "kinds[change]")
    row.put("keys", '["id"]')
    row.put("types", '{"id": "int"}')
    old, new = "before", "after"
    if shape.deletes_after:
        new = "new"
        body += "    new = after or before\n"
    if shape.deletes_after or shape.has_old_values:
        old = "old"
        body += f"    old = {'None' if shape.deletes_after else 'before'}\n"
        changed = _CHANGED if shape.has_old_values else "before"
        body += f"    if before and after:\n        old = {changed}\n"
    for part, image in (("before", old), ("after", new)):
        row.put(part, f"[{image}] if {image} else None" if shape.has_lists else image)
    body += f"    value: dict[str, Any] = {_python(row, 4)}\n    return [(None, value)]\n\n\n"
    return head + body


def _name(template: _Template) -> None:
    """Put the names and times that all tests of the contract have."""
    for part, source in (
        ("database", '"shop"'), ("schema", "None"), ("table", '"orders"'), ("server", '"s"'),
    ):  # fmt: skip
        template.put(part, source)
    for part in ("committed", "captured"):
        if time := _time(template.value(part)):
            template.put(part, time)


def _time(value: Any) -> str:
    """Return the source of a time like this one, empty where it is no epoch."""
    number = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"\d{10,16}", number):
        return ""
    time = {10: "MILLIS // 1000", 13: "MILLIS", 16: "MILLIS * 1000"}.get(len(number), "")
    return f"str({time})" if time and isinstance(value, str) else time


def bench_writer(format_id: str, shape: MessageShape) -> str:
    """Return the function of bench_messages.py that writes messages of this format as SQL."""

    def sql_of(place: re.Match[str]) -> str:
        source = row.sources[int(place[1])]
        return source if source in texts.values() else f"', {source},\n        '"

    head = fill(_BENCH_MESSAGE, format_id)
    row = _Template(shape, "row")
    is_text = isinstance(row.value("operation"), str)
    codes = [shape.code("row", one) or "" for one in _OPERATIONS]
    insert, update, delete = [json.dumps(code) if is_text else code for code in codes]
    others = f"when 'delete' then '{delete}' else '{update}' end"
    row.put("operation", f"case kind when 'insert' then '{insert}' {others}")
    old, new = _bench_images(shape)
    row.put("before", old)
    row.put("after", new)
    # these stand in the message's text
    texts = {
        "database": '"shop"',
        "schema": "null",
        "table": '"{TABLE}"',
        "keys": '["id"]',
        "types": "{_TYPES}",
    }
    for part, source in texts.items():
        row.put(part, source)
    text = json.dumps(row.message, ensure_ascii=False, separators=(",", ":"))
    if not all(codes) or re.search(r"['\\]", text.replace("\\u0001", "")):
        return head + _NO_BENCH_MESSAGE
    text = re.sub("[{}]", lambda one: 2 * one[0], text)
    text = re.sub(r'"\\u0001(\d+)\\u0001"', sql_of, text)
    lines = f'    return f"""concat(\n        \'{text}\'\n    )"""'
    noqa = "  # noqa: E501" if max(map(len, lines.split("\n"))) > 100 else ""
    return f"{head}{lines}{noqa}\n\n\n"


def _bench_images(shape: MessageShape) -> tuple[str, str]:
    """Return the SQL of the rows before and after a change, in an f-string."""
    style = "bare" if shape.has_bare_numbers else "text"

    def row(version: str, only: str = "") -> str:
        image = f'{{_row({version}, "{style}"{only})}}'
        return f"concat('[', {image}, ']')" if shape.has_lists else image

    old, new = row("_BEFORE"), f"if(kind = 'delete', 'null', {row('_AFTER')})"
    if shape.deletes_after:
        new = f"if(kind = 'delete', {row('_BEFORE')}, {row('_AFTER')})"
    of_update = row("_BEFORE", ", CHANGED") if shape.has_old_values else old
    of_delete = "'null'" if shape.deletes_after else old
    if of_update == of_delete:
        return f"if(kind = 'insert', 'null', {old})", new
    cases = f"case kind when 'update' then {of_update} when 'delete' then {of_delete}"
    return f"{cases} else 'null' end", new


def _laid_over(under: Any, over: Any) -> Any:
    if not is_object(under) or not is_object(over):
        return over
    return {**under, **{name: _laid_over(under.get(name), value) for name, value in over.items()}}


def _python(template: _Template, indent: int) -> str:
    """Return the source of a message, a line per field as ruff leaves it."""

    def source_of(value: Any, indent: int) -> str:
        if isinstance(value, str) and (place := re.fullmatch(_PLACE.format(r"(\d+)"), value)):
            return template.sources[int(place[1])]
        begin = f"\n{(indent + 4) * ' '}"
        if is_list(value) and value:
            lines = [f"{begin}{source_of(one, indent + 4)}," for one in value]
            return f"[{''.join(lines)}\n{indent * ' '}]"
        if not is_object(value) or not value:
            return _literal(value)
        lines = [
            f"{begin}{_literal(name)}: {source_of(one, indent + 4)}," for name, one in value.items()
        ]
        return f"{{{''.join(lines)}\n{indent * ' '}}}"

    return source_of(template.message, indent)


def _literal(value: Any) -> str:
    if not isinstance(value, str):
        return repr(value)
    written = repr(value)
    if written.startswith("'") and '"' not in value:
        return f'"{written[1:-1]}"'
    return written
