"""Writes the models of tables, and adds columns to those that are there."""

import contextlib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import yaml

from changelake import settings
from changelake.errors import UserError
from changelake.onboarding import SourceColumn, SourceTable
from changelake.types import Declaration, holds

MODELS = settings.REPO / "models" / "current"
HISTORIES = settings.REPO / "models" / "history"
# The dialects that a table of Canal's messages can have.
WRITERS = {"canal": "Canal", "oceanbase_default_extended": "OMS"}
# The names of state_metadata() and history_metadata(), and what stands beside these in a statement.
METADATA = (
    "_undecodable", "_committed_at", "_feed", "_kafka_topic", "_kafka_partition", "_kafka_offset",
    "_row_count", "_operation", "_valid_from", "_valid_to", "_is_current", "_key",
    "_source_position", "_is_deleted", "_batch", "_present", "_row_index", "_row_change",
    "_changed_at", "_content", "_last_position", "_is_spread", "_is_boundary", "_is_last",
    "_sequence", "_epoch", "_place", "_is_move",
)  # fmt: skip
# The lines of a model that say which table it is of.
_IDENTITY = re.compile(r"^ +'(?:feeds|database|schema|table|shards)': .*$", re.M)
_KEY = re.compile(r"^ +'key': (.*)$", re.M)
_CHECKSUM = re.compile(r"^(#|--) written by scripts/onboard\.py, checksum ([0-9a-f]{16})$", re.M)


@dataclass
class Written:
    """What became of a table: its relation, its files, and remarks.

    Attributes:
        files: by file, `written`, `kept`, `unchanged` or `updated`.
    """

    relation: str
    files: dict[Path, str]
    remarks: list[str]


def column_names(columns: Iterable[str]) -> dict[str, str]:
    """Return, by the source's name, a name that the current table can have.

    Names of the metadata get `_src` put before them; of two that differ only in case the later gets
    `__2` behind it, since Delta and Spark know no case.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for source in columns:
        name = f"_src{source}" if source.lower() in METADATA else source
        number = 2
        while _without_case(name) in taken:
            name = f"{source}__{number}"
            number += 1
        taken.add(_without_case(name))
        names[source] = name
    return names


def _without_case(name: str) -> str:
    # As Java's equalsIgnoreCase() has it, letter by letter, first in capitals: `ſ` is an `s` then,
    # and `ı` an `i`, which they are not in lower case.
    letters = (letter.upper() if len(letter.upper()) == 1 else letter for letter in name)
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in letters)


def write_table(table: SourceTable, directory: Path = MODELS) -> Written:
    """Write a table's model and its yml, unless a person has changed them since.

    Args:
        table: with its key known.
        directory: the folder of current models.
    """
    names = column_names(column.name for column in table.columns)
    declarations = {column.name: table.declaration(column) for column in table.columns}
    remarks = [f"{old} is named {new}" for old, new in names.items() if old != new]
    inferred = [names[name] for name, found in declarations.items() if found.inferred]
    if inferred:
        remarks.append(f"types inferred from the values seen: {', '.join(inferred)}")
    remarks += _other_reading(table, names, declarations)
    if not table.key:
        remarks.append("has no key: rows are counted")
    model = _model_file(directory, table.relation)
    _check_feed(table, model, declared(model))
    before = model.read_text(encoding="utf-8") if model.exists() else None
    text = model_text(table, names, declarations)
    files = _write_model(model, text, yml_text(table, names))
    if before is not None and files[model] == "written":
        remarks += _changes(table, model, before, text)
    return Written(table.relation, files, remarks)


def declared(model: Path) -> dict[str, Any]:
    """Return the meta that a model declares; empty where there is no model, or none to be read."""
    meta: dict[str, Any] = {}

    def config(**options: Any) -> str:
        meta.update(options.get("meta") or {})
        return ""

    # what stands behind config() needs dbt, and is not looked at
    with contextlib.suppress(OSError, jinja2.TemplateError, TypeError, ValueError):
        text = model.read_text(encoding="utf-8")
        jinja2.Environment().from_string(text).render(config=config)
    return meta


def keep_key(table: SourceTable, directory: Path = MODELS) -> list[str]:
    """Give a table the key that its model has: a person may have said it.

    Returns:
        Remarks: where the dialect names another one.
    """
    key = declared(_model_file(directory, table.relation)).get("key")
    columns = {column.name for column in table.columns}
    if key is None or key == table.key or not columns.issuperset(key):
        return []
    theirs, table.key = table.key, key
    if theirs is None:
        return []
    kept, other = (", ".join(one) or "none" for one in (key, theirs))
    return [
        f"the key stays {kept}; the source's is {other}: to take that,"
        f" --key {table.name}={','.join(theirs)}"
    ]


def shards_of_models(directory: Path = MODELS) -> list[tuple[list[str], str]]:
    """Return of each model of shards its feeds and the pattern of its tables' names."""
    metas = (declared(path) for path in sorted(directory.rglob("*.sql")))
    return [(_list(meta.get("feeds")), meta["shards"]) for meta in metas if "shards" in meta]


def has_model(table: SourceTable, directory: Path = MODELS) -> bool:
    """Say whether a table has a model."""
    return _model_file(directory, table.relation).exists()


def _check_feed(table: SourceTable, model: Path, meta: dict[str, Any]) -> None:
    feeds = meta.get("feeds")
    if feeds is not None and table.feed not in _list(feeds):
        raise _another(model)


def _another(path: Path) -> UserError:
    return UserError(
        f"{path} is the model of another table or feed: rename it (the files, and `name` in"
        " its yml) to keep it, or delete it to have it written anew"
    )


def _other_reading(
    table: SourceTable, names: dict[str, str], declarations: dict[str, Declaration]
) -> list[str]:
    # What to declare where a table's types can also be those of another dialect.
    read, *others = table.dialects
    return [
        f"its types can be {WRITERS[read]}'s or {WRITERS[other]}'s, and are read as"
        f" {WRITERS[read]}'s; if {WRITERS[other]} writes them, declare {', '.join(different)}"
        for other in others
        if (
            different := [
                f"{names[column.name]} {declaration.text}"
                for column in table.columns
                if (declaration := table.declaration(column, other)) != declarations[column.name]
            ]
        )
    ]


def _changes(table: SourceTable, path: Path, before: str, after: str) -> list[str]:
    # What a model that was written anew declares in another way than the one before.
    (old, _), (new, _) = _columns(path, before), _columns(path, after)
    changed = [name for name in old if name in new and old[name] != new[name]]
    if _KEY.findall(before) != _KEY.findall(after):
        changed.append("the key")
    remarks = []
    if changed:
        remarks.append(
            f"changed {', '.join(changed)}: if it is built already, run {_rebuild(table)}"
        )
    if added := [name for name in new if name not in old]:
        remarks.append(_added(table, added))
    return remarks


def _added(table: SourceTable, names: list[str]) -> str:
    return f"added {', '.join(names)}: null in older rows; to fill them in: {_rebuild(table)}"


def _rebuild(table: SourceTable) -> str:
    models = [table.relation]
    models += [file.stem for file in HISTORIES.rglob(f"{table.relation}__history.sql")]
    return f"dbt build --target local --full-refresh --select {' '.join(models)}"


def write_history(table: SourceTable, directory: Path = HISTORIES) -> dict[Path, str]:
    """Write the model of a table's history and its yml, unless a person has changed them since.

    Args:
        table: with its key known; its current model declares the columns.
        directory: the folder of history models.

    Returns:
        By file, `written`, `kept` or `unchanged`.
    """
    model = _model_file(directory, f"{table.relation}__history")
    return _write_model(model, history_text(table), history_yml_text(table))


def _model_file(directory: Path, name: str) -> Path:
    # found wherever it was moved to
    return next(iter(sorted(directory.rglob(f"{name}.sql"))), directory / f"{name}.sql")


def _write_model(model: Path, sql: str, yml: str) -> dict[Path, str]:
    beside = model.with_suffix(".yml")
    return {model: _write(model, "--", sql), beside: _write(beside, "#", yml)}


def add_columns(table: SourceTable, directory: Path = MODELS) -> Written:
    """Add the columns that a table has come to have to its model, whoever wrote that.

    Only lines are added, at the end of the declared columns: names, types and order of what stands
    there stay as they are. The table's rows hold null in them until they change, or until the model
    is built with --full-refresh. A column that the model names in `left_out` is not added.

    Args:
        table: with all columns seen.
        directory: the folder of current models.

    Returns:
        The model's file as `updated` or `unchanged`, or `written` where there was none; remarks
        name the columns, and those whose declaration no longer holds what the source has.

    Raises:
        UserError: the model declares its columns in a way that is not found, or is of another feed.
    """
    path = _model_file(directory, table.relation)
    if not path.exists():
        return write_table(table, directory)
    meta = declared(path)
    _check_feed(table, path, meta)
    text = path.read_text(encoding="utf-8")
    columns, end = _columns(path, text)
    sources = {
        name: _list(one.get("source", name)) if isinstance(one, dict) else [name]
        for name, one in columns.items()
    }
    known = {source for names in sources.values() for source in names}
    known |= set(_list(meta.get("left_out", [])))
    newest = {sources[name][0]: (name, one) for name, one in columns.items()}
    unfit = [
        f"{remark}, then run {_rebuild(table)}"
        for column in table.columns
        if column.name in newest and (remark := _unfit(table, column, *newest[column.name]))
    ]
    added = [column for column in table.columns if column.name not in known]
    names = column_names([*columns, *(column.name for column in added)])
    lines = [
        _column_line(names[column.name], column.name, table.declaration(column)) for column in added
    ]
    if not added:
        return Written(table.relation, {path: "unchanged"}, unfit)
    longer = text[:end] + "".join(lines) + text[end:]
    if _is_edited(text):
        path.write_text(longer, encoding="utf-8")
    else:
        _write(path, "--", longer.split("\n", 1)[1])
    new = [names[column.name] for column in added]
    remarks = [_added(table, new), "to do without one, name it in the model's 'left_out'", *unfit]
    return Written(table.relation, {path: "updated"}, remarks)


def _columns(path: Path, text: str) -> tuple[dict[str, Any], int]:
    """Return what a model declares by column, and where the last one's line ends.

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    begin = re.search(r"^( *)'columns': (?={)", text, re.M)
    end = begin and re.compile(rf"^{begin.group(1)}}},?$", re.M).search(text, begin.end())
    if not begin or not end:
        raise UserError(
            f"{path}: no 'columns': {{…}} with a line for each column: add them by hand"
        )
    declared = text[begin.end() : end.end()].rstrip(",")
    try:
        return jinja2.Environment().compile_expression(declared)(), end.start()
    except jinja2.TemplateError:
        raise UserError(f"{path}: its 'columns' cannot be read: add them by hand") from None


def _unfit(table: SourceTable, column: SourceColumn, name: str, declared: Any) -> str:
    # What to say of a declared column whose type at the source, or whose values where that does not
    # tell, need another declaration by now; empty if there is nothing to say.
    given = declared if isinstance(declared, dict) else {"type": declared}
    possible = [table.declaration(column, dialect) for dialect in table.dialects]
    if "mask" in given or any(
        holds(str(given.get("type")), needed, column.values) for needed in possible
    ):
        return ""
    needed = possible[0]
    what = "the values seen" if needed.inferred else column.type_text
    return f"{name} is declared {given['type']}, which does not hold {what}: write {needed.text}"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _column_line(name: str, source: str, declaration: Declaration) -> str:
    text = _literal(declaration.text)
    if name != source:
        text = f"{{'type': {text}, 'source': {_literal(source)}}}"
    return f"            {_literal(name)}: {text},\n"


def _literal(value: Any) -> str:
    # A Jinja literal: Python's, with the quotes that repr() chooses.
    return "none" if value is None else repr(value)


def model_text(
    table: SourceTable, names: dict[str, str], declarations: dict[str, Declaration]
) -> str:
    """Return the text of a table's model, without its first line."""
    lines = ["{{ config(", "    meta={", f"        'feeds': [{_literal(table.feed)}],"]
    if table.database:
        lines.append(f"        'database': {_literal(table.database)},")
    if table.schema:
        lines.append(f"        'schema': {_literal(table.schema)},")
    if table.shards:
        lines.append(f"        'shards': {_literal(table.shards)},")
        lines.append(f"        'shard': {_literal(table.shard)},")
    else:
        lines.append(f"        'table': {_literal(table.table)},")
    lines.append(f"        'key': [{', '.join(_literal(column) for column in table.key or [])}],")
    lines.append("        'columns': {")
    for column in table.columns:
        line = _column_line(names[column.name], column.name, declarations[column.name])
        lines.append(line.rstrip("\n"))
    lines += ["        },", "    },", ") }}", ""]
    lines.append(f"{{{{ table_events(ref('{table.format}_events'), ref('feeds')) }}}}")
    return "\n".join(lines) + "\n"


def history_text(table: SourceTable) -> str:
    """Return the text of the model of a table's history, without its first line."""
    name = _literal(table.relation)
    return (
        f"{{{{ config(alias={name}, meta={{'current': {name}}}) }}}}\n\n"
        f"{{{{ table_events(ref('{table.format}_events'), ref('feeds')) }}}}\n"
    )


def yml_text(table: SourceTable, names: dict[str, str]) -> str:
    """Return the text of the yml beside a table's model, without its first line."""
    description = f"{_plain(table.name)} as it is now, from feed {table.feed}."
    key = [_plain(names[column]) for column in table.key or []]
    test = {"is_key": {"arguments": {"columns": key}}}
    return _yml(table.relation, description, [test] if key else [])


def history_yml_text(table: SourceTable) -> str:
    """Return the text of the yml beside the model of a table's history, without its first line."""
    description = f"Every version of the rows of {_plain(table.name)}, from feed {table.feed}."
    names = column_names(column.name for column in table.columns)
    key = [_plain(names[column]) for column in table.key or []]
    test = {"is_key": {"arguments": {"columns": key}, "config": {"where": "_is_current"}}}
    return _yml(f"{table.relation}__history", description, [test] if key else [])


def _yml(name: str, description: str, tests: list[dict[str, Any]]) -> str:
    model: dict[str, Any] = {"name": name, "description": description}
    if tests:
        model["data_tests"] = tests
    return yaml.safe_dump(
        {"version": 2, "models": [model]}, sort_keys=False, allow_unicode=True, width=100
    )


def _plain(name: str) -> str:
    # dbt renders what stands in a yml file.
    return f"{{% raw %}}{name}{{% endraw %}}" if re.search(r"\{[{%#]", name) else name


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_edited(text: str) -> bool:
    # Whether a person has changed a file since it was written, or has written it.
    first, _, body = text.partition("\n")
    header = _CHECKSUM.search(first)
    return not header or _checksum(body) != header.group(2)


def _write(path: Path, comment: str, text: str) -> str:
    whole = f"{comment} written by scripts/onboard.py, checksum {_checksum(text)}\n{text}"
    if path.exists():
        present = path.read_text(encoding="utf-8")
        if present == whole:
            return "unchanged"
        if _is_edited(present):
            return "kept"
        body = present.split("\n", 1)[-1]
        if _IDENTITY.findall(body) != _IDENTITY.findall(text):
            raise _another(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(whole, encoding="utf-8")
    return "written"
