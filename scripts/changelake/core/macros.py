"""What macros and scripts both know: it stands in a macro, since dbt's macros read no file."""

import re

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


def macro_names(folder: str, name: str) -> tuple[str, ...]:
    """Return the quoted names of a macro that returns a list of them."""
    return tuple(re.findall(r"'(\w+)'", macro_text(folder, name)))
