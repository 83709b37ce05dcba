"""Reads what a model declares."""

import contextlib
import re
from pathlib import Path
from typing import Any, TypedDict, cast

import jinja2

from changelake.core.errors import UserError


class DeclaredColumn(TypedDict, total=False):
    """The declaration of a column that needs more than a type.

    Attributes:
        source: what the source calls it, or its names there, the newest first.
    """

    type: str
    source: str | list[str]
    mask: str
    ignore_case: bool


Columns = dict[str, str | DeclaredColumn]


class _Parts(TypedDict, total=False):
    database: str
    schema: str
    table: str
    shards: str
    shard: str
    key: list[str]
    left_out: str | list[str]


class ModelMeta(_Parts, total=False):
    """What the file of a current model has in its meta, as far as it can be read."""

    feeds: str | list[str]
    columns: Columns
    evolve: str


class TableMeta(_Parts):
    """The meta of a current table, in a model that was checked."""

    feeds: list[str]
    columns: Columns
    evolve: str


def declared(model: Path) -> ModelMeta:
    """Return the meta that a model declares; empty if there is no model, or it cannot be read."""
    meta: ModelMeta = {}

    def config(**options: Any) -> str:
        meta.update(options.get("meta") or {})
        return ""

    # what follows config() needs dbt, and is ignored
    with contextlib.suppress(OSError, jinja2.TemplateError, TypeError, ValueError):
        text = model.read_text(encoding="utf-8")
        jinja2.Environment().from_string(text).render(config=config)
    return meta


def declared_columns(path: Path, text: str) -> tuple[Columns, int]:
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
        columns = cast(Columns, jinja2.Environment().compile_expression(declared)())
        return columns, end.start()
    except jinja2.TemplateError:
        raise UserError(f"{path}: its 'columns' cannot be read: add them by hand") from None


def source_names(name: str, declared: str | DeclaredColumn) -> list[str]:
    """Return what the source calls, or has called, a declared column, the newest name first.

    Args:
        name: the column's in the current table.
        declared: its declaration in the model.
    """
    if isinstance(declared, dict):
        return as_list(declared.get("source", name))
    return [name]


def names_by_column(columns: Columns) -> dict[str, list[str]]:
    """Return source_names() of each declared column, by its name in the current table."""
    return {name: source_names(name, one) for name, one in columns.items()}


def declared_type(declared: str | DeclaredColumn) -> str:
    """Return the `<spark type>[ from <encoding>]` of a declared column."""
    text = str(declared.get("type") if isinstance(declared, dict) else declared)
    spark_type, separator, encoding = text.partition(" from ")
    # the macros ignore the case of a type
    return spark_type.lower() + separator + encoding


def is_masked(declared: str | DeclaredColumn) -> bool:
    """Say whether a declared column hides its values."""
    return isinstance(declared, dict) and "mask" in declared


def as_list(value: Any) -> list[Any]:
    """Return a list, or a list of the one value."""
    return cast(list[Any], value) if isinstance(value, list) else [value]
