"""Reads what a model declares."""

import contextlib
import re
from pathlib import Path
from typing import Any, cast

import jinja2

from changelake.core.errors import UserError


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


def declared_columns(path: Path, text: str) -> tuple[dict[str, Any], int]:
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


def source_names(name: str, declared: Any) -> list[str]:
    """Return what the source calls, or has called, a declared column, the newest name first.

    Args:
        name: the column's in the current table.
        declared: what stands for it in the model.
    """
    if isinstance(declared, dict):
        return as_list(cast(dict[str, Any], declared).get("source", name))
    return [name]


def declared_type(declared: Any) -> str:
    """Return the `<spark type>[ from <encoding>]` of a declared column."""
    if isinstance(declared, dict):
        return str(cast(dict[str, Any], declared).get("type"))
    return str(declared)


def is_masked(declared: Any) -> bool:
    """Say whether a declared column hides its values."""
    return isinstance(declared, dict) and "mask" in declared


def as_list(value: Any) -> list[Any]:
    """Return a list, or a list of the one value."""
    return cast(list[Any], value) if isinstance(value, list) else [value]
