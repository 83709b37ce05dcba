"""What macros and scripts both know: it stands in a macro, since dbt's macros read no file."""

import ast
import functools
import re
from typing import Any, cast

import jinja2

from changelake.core import settings


def macro_text(folder: str, name: str) -> str:
    """Return what a macro without arguments says, as its file has it.

    Args:
        folder: the file's, below macros.
        name: the macro's name, which is the file's too.
    """
    file = settings.REPO / "macros" / folder / f"{name}.sql"
    text = file.read_text(encoding="utf-8")
    (body,) = re.findall(r"{%-? macro \w+\(\) -?%}(.*?){%-? endmacro", text, re.DOTALL)
    return body.strip()


def macro_sql(folder: str, name: str, *arguments: str) -> str:
    """Return what a macro writes, which calls no other macro.

    Args:
        folder: the file's, below macros.
        name: the macro's name, which is the file's too.
        arguments: texts.
    """
    file = settings.REPO / "macros" / folder / f"{name}.sql"
    template = jinja2.Environment(extensions=["jinja2.ext.do"]).from_string(
        file.read_text(encoding="utf-8"), globals={"return": repr}
    )
    return str(getattr(template.module, name)(*arguments)).strip()


@functools.cache
def macro_result(folder: str, name: str, *arguments: str) -> object:
    """Return the list or dictionary that a macro returns, see macro_sql()."""
    return ast.literal_eval(macro_sql(folder, name, *arguments))


def format_traits(format_id: str) -> dict[str, Any]:
    """Return what the events of a format do not say, see the macro of this name."""
    return cast(dict[str, Any], macro_result("formats", "format_traits", f"{format_id}_events"))


def macro_names(folder: str, name: str) -> tuple[str, ...]:
    """Return the names that a macro returns as a list."""
    return tuple(cast(list[str], macro_result(folder, name)))
