"""Writes the models of tables, and adds columns to existing ones."""

import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.change_texts import Subject, change_text
from changelake.onboarding.declarations import Declaration
from changelake.onboarding.differences import Change
from changelake.onboarding.following import follow_source
from changelake.onboarding.found_models import HISTORIES, MODELS, model_file, other_of_name
from changelake.onboarding.generated_files import (
    is_edited,
    is_from_schema,
    literals,
    read_generated,
    replace_lines,
    write_generated,
)
from changelake.onboarding.kept_declarations import kept_names, widened_declarations
from changelake.onboarding.model_columns import ModelMeta, as_list, declared, source_names
from changelake.onboarding.model_remarks import (
    rebuild_command,
    remark_on_added,
    remark_on_inferred,
    remarks_on_changes,
    remarks_on_dialects,
)
from changelake.onboarding.names import column_names
from changelake.onboarding.renamed_columns import new_columns, renamed_sources, with_former_names
from changelake.onboarding.rendering import (
    history_text,
    history_yml_text,
    model_text,
    yml_text,
)
from changelake.onboarding.schema_matching import remarks_on
from changelake.onboarding.tables import SourceTable

# The lines of a model that say which table it is of; those of columns stand further in.
_IDENTITY = re.compile(r"^ {8}'(?:feeds|database|schema|table|shards)': .*$", re.M)


@dataclass
class Written:
    """The outcome of writing a table: its files, and remarks.

    Attributes:
        files: by file, `written`, `kept`, `unchanged` or `updated`.
    """

    files: dict[Path, str]
    remarks: list[str]


def write_table(table: SourceTable, directory: Path = MODELS) -> Written:
    """Write a table's model and its yml, unless a person has changed them since.

    A model whose columns come from a schema file gets new columns, and keeps the others as they
    are, until a schema file is given again.

    Args:
        table: with its key known.
        directory: the folder of current models.

    Raises:
        UserError: the model is another table's, or another file of the project has its name.
    """
    model = model_file(directory, table.relation)
    if table.known is None and is_from_schema(model) and not is_edited(model):
        return _with_key(table, model, add_columns(table, directory))
    kept, sources = _sources_of(table, model)
    columns = [
        with_former_names([table], names)
        for one in table.columns
        if (names := sources.get(one.name))
    ]
    table = replace(table, columns=columns)
    # a column keeps its name in the model, whatever other columns of the source are called now
    held = {names[0]: name for name, names in kept.items()}
    if not table.key:
        # all columns tell rows apart, in their order: columns that a run has added stay last
        places = {name: place for place, name in enumerate(held)}
        table.columns.sort(key=lambda one: places.get(one.name, len(places)))
    new = column_names([*kept, *(one.name for one in table.columns if one.name not in held)])
    names = {one.name: held.get(one.name) or new[one.name] for one in table.columns}
    declarations = {column.name: table.declaration(column) for column in table.columns}
    declarations |= widened_declarations(table, model, declarations)
    remarks = [
        f"{old} is named {new}" for old, new in names.items() if old != new and old not in held
    ]
    _check_feed(table, model, declared(model))
    _check_name(table, model)
    is_own = is_edited(model)
    before = None if is_own else read_generated(model)
    text = model_text(table, names, declarations, sources)
    # what was said when the model was written is not repeated
    is_news = not is_own and before != text
    remarks += _remarks(table, model, names, declarations, is_news)
    files = _write_model(table, model, text, yml_text(table, names))
    if files[model] == "kept" and not declared(model):
        remarks.append("its model cannot be read: if it was cut short, delete it")
    if before and files[model] == "written":
        remarks += remarks_on_changes(table, model, before, text)
    return Written(files, remarks)


def _sources_of(
    table: SourceTable, model: Path
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    # All names at the source, the newest first: for the columns that a model keeps, by their names
    # in it; and for all columns, by the newest name.
    present = {column.name for column in table.columns}
    kept = {
        name: names
        for name, names in renamed_sources(kept_names(model), table).items()
        if names[0] in present
    }
    new_names = new_columns(table, [one for names in kept.values() for one in names])
    return kept, {names[0]: names for names in (*kept.values(), *new_names)}


def _remarks(
    table: SourceTable,
    model: Path,
    names: dict[str, str],
    declarations: dict[str, Declaration],
    is_news: bool,
) -> list[str]:
    # What a person should know about a table that is written.
    remarks: list[str] = []
    subject = Subject(table.relation, [table], {})
    inferred = {names[name]: found for name, found in declarations.items() if found.inferred}
    if inferred and is_news:
        remarks.append(remark_on_inferred(table, inferred))
    remarks += remarks_on(table)
    if is_news:
        remarks += remarks_on_dialects(table, names, declarations)
    if is_news and not table.key:
        remarks.append("has no key: rows are counted")
    if not model.exists():
        # runs report it only for new statements
        remarks += [change_text(Change("reused", one, ""), subject) for one in sorted(table.reused)]
    if table.hidden:
        remarks.append(change_text(Change("hidden", table.hidden, ""), subject))
    return remarks


def _with_key(table: SourceTable, model: Path, written: Written) -> Written:
    # Apply the key that a person gives now.
    key = declared(model).get("key") or []
    if table.key is None or table.key == key:
        return written
    line = "        'key': {},\n"
    if replace_lines(model, {line.format(literals(key)): line.format(literals(table.key))}):
        written.files[model] = "updated"
        written.remarks.append(
            f"changed the key: if it is built already, run {rebuild_command(table.relation)}"
        )
    return written


def _check_feed(table: SourceTable, model: Path, meta: ModelMeta) -> None:
    feeds = meta.get("feeds")
    if feeds is not None and table.feed not in as_list(feeds):
        raise _another(model)


def _check_name(table: SourceTable, model: Path) -> None:
    if other := other_of_name(model):
        named = shlex.quote(f"NAME={re.escape(table.name)}")
        raise UserError(
            in_line(
                f"{table.name} would be the model {model.stem}, and {other} has that name: give it"
                f" another one with --shards {named}, which adds a column `shard`"
            )
        )


def _another(path: Path) -> UserError:
    return UserError(
        f"{path} is the model of another table or feed: rename it (the files, and `name` in"
        " its yml) to keep it, or delete it to have it written again"
    )


def write_history(
    table: SourceTable, directory: Path = HISTORIES, current: Path = MODELS
) -> dict[Path, str]:
    """Write the model of a table's history and its yml, unless a person has changed them since.

    Args:
        table: with its key known; its current model declares the columns.
        directory: the folder of history models.
        current: that of current models.

    Returns:
        By file, `written`, `kept` or `unchanged`.

    Raises:
        UserError: another file of the project has the model's name.
    """
    model = model_file(directory, f"{table.relation}__history")
    if other := other_of_name(model):
        raise UserError(
            in_line(
                f"the history of {table.name} would be the model {model.stem}, and {other} has that"
                " name: write the table with --no-history"
            )
        )
    names = _declared_names(table, model_file(current, table.relation))
    return _write_model(table, model, history_text(table), history_yml_text(table, names))


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
    """Add new columns of a table to its model, whoever wrote it.

    Lines are only added, after the declared columns: the names, types and order of existing ones
    stay as they are. Rows have null in the new columns until they change, or until the model is
    built with --full-refresh. A column that the model names in `left_out` is not added.

    Args:
        table: with all columns seen.
        directory: the folder of current models.

    Returns:
        The model's file as `updated` or `unchanged`, or `written` if there was none; remarks name
        the new columns, and those whose declaration no longer holds what the source has.

    Raises:
        UserError: the model declares its columns in a way that is not found, or is of another feed.
    """
    path = model_file(directory, table.relation)
    if not path.exists():
        return write_table(table, directory)
    _check_feed(table, path, declared(path))
    followed = follow_source(table, path, can_change=False)
    beside = path.with_suffix(".yml")
    files = {path: "updated" if followed.added else "unchanged"}
    is_known, names = table.known is not None, _declared_names(table, path)
    if (
        beside.exists()
        and (is_known or not is_from_schema(beside))
        and write_generated(beside, yml_text(table, names), is_known) == "written"
    ):
        files[beside] = "written"
    remarks = [
        f"{one}, then run {rebuild_command(table.relation)}" for one in followed.unfit.values()
    ]
    if followed.added:
        note = "to do without one, name it in the model's 'left_out'"
        remarks = [remark_on_added(table, followed.added), note, *remarks]
    return Written(files, remarks)


def _declared_names(table: SourceTable, model: Path) -> dict[str, str]:
    # The name of each column in a model, by its name at the source.
    columns = declared(model).get("columns") or {}
    names = {source: name for name, one in columns.items() for source in source_names(name, one)}
    return names or column_names(column.name for column in table.columns)
