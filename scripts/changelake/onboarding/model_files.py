"""Writes the models of tables, and adds columns to those that are there."""

import contextlib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import jinja2

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.declarations import Declaration, holds, widens
from changelake.onboarding.generated_files import (
    insert_lines,
    is_edited,
    is_from_schema,
    read_generated,
    replace_line,
    write_generated,
)
from changelake.onboarding.known import remarks_on
from changelake.onboarding.names import column_names
from changelake.onboarding.rendering import (
    column_line,
    history_text,
    history_yml_text,
    model_text,
    yml_text,
)
from changelake.onboarding.tables import SourceColumn, SourceTable

MODELS = settings.REPO / "models" / "current"
HISTORIES = settings.REPO / "models" / "history"
# The dialects that a table of Canal's messages can have.
WRITERS = {"canal": "Canal", "oceanbase_default_extended": "OMS"}
# The lines of a model that say which table it is of.
_IDENTITY = re.compile(r"^ +'(?:feeds|database|schema|table|shards)': .*$", re.M)
_KEY = re.compile(r"^ +'key': (.*)$", re.M)


@dataclass
class Written:
    """What became of a table: its relation, its files, and remarks.

    Attributes:
        files: by file, `written`, `kept`, `unchanged` or `updated`.
    """

    relation: str
    files: dict[Path, str]
    remarks: list[str]


def write_table(table: SourceTable, directory: Path = MODELS) -> Written:
    """Write a table's model and its yml, unless a person has changed them since.

    A model that a schema file has told of is given new columns, and keeps the others as they are,
    until a schema file is there again.

    Args:
        table: with its key known.
        directory: the folder of current models.

    Raises:
        UserError: the model is another table's, or another file of the project has its name.
    """
    model = _model_file(directory, table.relation)
    if table.known is None and is_from_schema(model) and not is_edited(model):
        return add_columns(table, directory)
    names = column_names(column.name for column in table.columns)
    declarations = {column.name: table.declaration(column) for column in table.columns}
    remarks = [f"{old} is named {new}" for old, new in names.items() if old != new]
    inferred = [names[name] for name, found in declarations.items() if found.inferred]
    if inferred:
        remarks.append(f"types inferred from the values seen: {', '.join(inferred)}")
    remarks += remarks_on(table)
    remarks += _other_reading(table, names, declarations)
    if not table.key:
        remarks.append("has no key: rows are counted")
    _check_feed(table, model, declared(model))
    if other := _other_of_name(model):
        named = shlex.quote(f"NAME={re.escape(table.name)}")
        raise UserError(
            in_line(
                f"{table.name} would be the model {model.stem}, and {other} has that name: give it"
                f" another one with --shards {named}, which adds a column `shard`"
            )
        )
    before = None if is_edited(model) else read_generated(model)
    text = model_text(table, names, declarations)
    files = _write_model(table, model, text, yml_text(table))
    if files[model] == "kept" and not declared(model):
        remarks.append("its model cannot be read: if it was cut short, delete it")
    if before and files[model] == "written":
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
    given = shlex.quote(f"{table.name}={','.join(theirs)}")
    return [f"the key stays {kept}; the source's is {other}: to take that, --key {given}"]


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
    remarks: list[str] = []
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

    Raises:
        UserError: another file of the project has the model's name.
    """
    model = _model_file(directory, f"{table.relation}__history")
    if other := _other_of_name(model):
        raise UserError(
            in_line(
                f"the history of {table.name} would be the model {model.stem}, and {other} has that"
                " name: write the table with --no-history"
            )
        )
    return _write_model(table, model, history_text(table), history_yml_text(table))


def _model_file(directory: Path, name: str) -> Path:
    # found wherever it was moved to
    return next(iter(sorted(directory.rglob(f"{name}.sql"))), directory / f"{name}.sql")


def _other_of_name(model: Path) -> Path | None:
    # The file of the project that has the name of a model which is not there yet: dbt's ref() finds
    # models, seeds and snapshots by their names alone.
    if model.exists():
        return None
    models, seeds, snapshots = (settings.REPO / one for one in ("models", "seeds", "snapshots"))
    snapshot = re.compile(rf"\b(name:|snapshot)\s+{model.stem}\b")
    found = [
        *models.rglob(f"{model.stem}.sql"),
        *models.rglob(f"{model.stem}.py"),
        *seeds.rglob(f"{model.stem}.csv"),
        *(
            file
            for file in snapshots.rglob("*.*")
            if snapshot.search(file.read_text("utf-8", errors="replace"))
        ),
    ]
    return found[0].relative_to(settings.REPO) if found else None


def _write_model(table: SourceTable, model: Path, sql: str, yml: str) -> dict[Path, str]:
    present = None if is_edited(model) else read_generated(model)
    if present and _IDENTITY.findall(present) != _IDENTITY.findall(sql):
        raise _another(model)
    beside = model.with_suffix(".yml")
    known = table.known is not None
    files = {model: write_generated(model, sql, known or is_from_schema(model))}
    if known or not is_from_schema(beside):
        files[beside] = write_generated(beside, yml, known)
    return files


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
    _check_feed(table, path, declared(path))
    followed = follow_source(table, path, can_change=False)
    beside = path.with_suffix(".yml")
    files = {path: "updated" if followed.added else "unchanged"}
    is_known = table.known is not None
    if (
        beside.exists()
        and (is_known or not is_from_schema(beside))
        and write_generated(beside, yml_text(table), is_known) == "written"
    ):
        files[beside] = "written"
    remarks = [f"{one}, then run {_rebuild(table)}" for one in followed.unfit.values()]
    if followed.added:
        note = "to do without one, name it in the model's 'left_out'"
        remarks = [_added(table, list(followed.added)), note, *remarks]
    return Written(table.relation, files, remarks)


@dataclass
class Followed:
    """What a model has taken over from its source.

    Attributes:
        added: the new columns: by name in the current table, the name at the source.
        changed: the columns that are declared otherwise now, as `n int is now bigint`.
        unfit: by a column's name at the source, that its declaration does not hold what the
            source has, and which one would.
    """

    added: dict[str, str]
    changed: list[str]
    unfit: dict[str, str]


def follow_source(
    table: SourceTable, path: Path, can_change: bool, renamed: dict[str, str] | None = None
) -> Followed:
    """Add a table's new columns to its model, and perhaps change what it declares of others.

    What a person has written stays, and so do the types that a schema file has said.

    Args:
        table: with all columns seen.
        path: the model.
        can_change: whether columns may be widened and renamed, which needs a rebuild of the table.
        renamed: see renamed_columns().

    Raises:
        UserError: the model declares its columns in a way that is not found.
    """
    can_change &= not is_edited(path)
    changed = _rename(table, path, renamed or {}) if can_change else []
    columns, _ = _columns(path, read_generated(path) or "")
    can_widen = can_change and not is_from_schema(path)
    sources = {name: source_names(name, one) for name, one in columns.items()}
    newest = {names[0]: name for name, names in sources.items()}
    unfit: dict[str, str] = {}
    for column in (one for one in table.columns if one.name in newest):
        name, needed = newest[column.name], table.declaration(column)
        type_text = _type(columns[name])
        if can_widen and widens(needed, type_text):
            line = column_line(name, sources[name], type_text)
            if replace_line(path, line, column_line(name, sources[name], needed.text)):
                changed.append(f"{name} {type_text} is now {needed.text}")
                continue
        if remark := _unfit(table, column, name, columns[name]):
            unfit[column.name] = remark
    known = {source for names in sources.values() for source in names}
    known |= set(_list(declared(path).get("left_out", [])))
    new = [column for column in table.columns if column.name not in known]
    names = column_names([*columns, *(column.name for column in new)])
    if new:
        _, end = _columns(path, read_generated(path) or "")
        lines = [
            column_line(names[one.name], [one.name], table.declaration(one).text) for one in new
        ]
        insert_lines(path, end, "".join(lines))
    return Followed({names[one.name]: one.name for one in new}, changed, unfit)


def _rename(table: SourceTable, path: Path, renamed: dict[str, str]) -> list[str]:
    # Let columns of a model go by their source's new names too; return what was done.
    columns, _ = _columns(path, read_generated(path) or "")
    newest = {source_names(name, one)[0].lower(): name for name, one in columns.items()}
    seen = {column.name.lower(): column.name for column in table.columns}
    done: list[str] = []
    for old, new in renamed.items():
        name = newest.get(old)
        if name is None or new not in seen or new in newest:
            continue
        type_text, sources = _type(columns[name]), source_names(name, columns[name])
        line = column_line(name, sources, type_text)
        if replace_line(path, line, column_line(name, [seen[new], *sources], type_text)):
            done.append(f"{name} is also {seen[new]}")
    return done


def source_names(name: str, declared: Any) -> list[str]:
    """Return what the source calls, or has called, a declared column, the newest name first.

    Args:
        name: the column's in the current table.
        declared: what stands for it in the model.
    """
    if isinstance(declared, dict):
        return _list(cast(dict[str, Any], declared).get("source", name))
    return [name]


def _type(declared: Any) -> str:
    if isinstance(declared, dict):
        return str(cast(dict[str, Any], declared).get("type"))
    return str(declared)


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
        columns = cast(dict[str, Any], jinja2.Environment().compile_expression(declared)())
        return columns, end.start()
    except jinja2.TemplateError:
        raise UserError(f"{path}: its 'columns' cannot be read: add them by hand") from None


def _unfit(table: SourceTable, column: SourceColumn, name: str, declared: Any) -> str:
    # What to say of a declared column whose type at the source, or whose values where that does not
    # tell, need another declaration by now; empty if there is nothing to say.
    given = {"type": declared}
    if isinstance(declared, dict):
        given = cast(dict[str, Any], declared)
    possible = [table.declaration(column, dialect) for dialect in table.dialects]
    if "mask" in given or any(
        holds(str(given.get("type")), needed, column.values) for needed in possible
    ):
        return ""
    needed = possible[0]
    what = "the values seen" if needed.inferred else column.type_text
    return f"{name} is declared {given['type']}, which does not hold {what}: write {needed.text}"


def _list(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else [value]
