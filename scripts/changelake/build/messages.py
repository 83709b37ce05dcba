"""What dbt and Spark say went wrong, in one line."""

import re

from changelake.core.errors import outer_lines

# A place in SQL that dbt has compiled, and the macros that it was compiled by.
_PLACES = re.compile(r";\s*line \d+ pos \d+\b.*|\n[^\S\n]*> (?:in|called by) macro .*", re.S)
# What Python's bridge to Java puts before Java's own words.
_BRIDGE = re.compile(r"An error occurred while calling \w+\.\w+\.\s*:\s*(?:[\w.$]+: )?")
_CAUSE = re.compile(r"^[^\S\n]*Caused by: (?:[\w.$]+: )?([^\n]+)", re.MULTILINE)
_MAX_CHARACTERS = 1_000


def one_line(message: str) -> str:
    """Return what a message of dbt or Spark says in one line, without Spark's inside.

    Of Java's stack the innermost cause is kept.

    >>> one_line("Runtime Error\\n  [NOT_FOUND] no t; line 2 pos 14;\\n'Project [*]\\n+- 'T")
    'Runtime Error [NOT_FOUND] no t'
    >>> one_line("[BROKEN] the log\\n\\tat org.delta.Log.read(Log.scala:13)\\n\\tat java.Main.x()")
    '[BROKEN] the log'
    >>> one_line("it is wrong\\n\\n> in macro m (m.sql)\\n> called by model x (x.sql)")
    'it is wrong'
    >>> one_line("Task failed\\n\\tat a.B.c()\\nCaused by: java.io.IOException: No space\\n\\tat d")
    'Task failed: No space'
    """
    text = " ".join(_BRIDGE.sub("", _PLACES.sub("", outer_lines(message))).split())
    cause = " ".join("".join(_CAUSE.findall(message)[-1:]).split())[: _MAX_CHARACTERS // 2]
    end = "" if cause in text else f": {cause}"
    room = _MAX_CHARACTERS - len(end)
    return (text if len(text) <= room else f"{text[:room]}…") + end
