"""What macros and scripts share. It is kept in macros, since dbt's macros cannot read files."""

import ast
import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import jinja2
from jinja2 import meta

from changelake.core import settings


def macro_text(folder: str, name: str) -> str:
    """Return the body of a macro without arguments, as it is in its file.

    Args:
        folder: the file's, below macros.
        name: the macro's name, which is the file's too.
    """
    file = settings.REPO / "macros" / folder / f"{name}.sql"
    text = file.read_text(encoding="utf-8")
    (body,) = re.findall(r"{%-? macro \w+\(\) -?%}(.*?){%-? endmacro", text, re.DOTALL)
    return body.strip()


def macro_sql(folder: str, name: str, *arguments: str) -> str:
    """Return what a macro renders. It may call only macros of its own folder.

    Args:
        folder: the file's, below macros.
        name: the macro's name, which is the file's too.
        arguments: texts.
    """
    return str(_macro(settings.REPO / "macros" / folder, name)(*arguments)).strip()


def _macro(folder: Path, name: str) -> Callable[..., object]:
    text = (folder / f"{name}.sql").read_text(encoding="utf-8")
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    unknown = meta.find_undeclared_variables(environment.parse(text))
    called = {one: _macro(folder, one) for one in unknown if (folder / f"{one}.sql").exists()}
    template = environment.from_string(text, globals={"return": repr, **called})
    return getattr(template.module, name)


@functools.cache
def macro_result(folder: str, name: str, *arguments: str) -> object:
    """Return the list or dictionary that a macro returns, see macro_sql()."""
    return ast.literal_eval(macro_sql(folder, name, *arguments))


def format_traits(format_id: str) -> dict[str, Any]:
    """Return what the events of a format do not tell, see the macro of this name."""
    return cast(dict[str, Any], macro_result("formats", "format_traits", f"{format_id}_events"))


def macro_names(folder: str, name: str) -> tuple[str, ...]:
    """Return the names that a macro returns as a list."""
    return tuple(cast(list[str], macro_result(folder, name)))
