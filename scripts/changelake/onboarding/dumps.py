"""What dumps and clients write besides statements."""

import re
from collections.abc import Iterator

# The rows of pg_dump, which are no SQL.
_COPIED = re.compile(r"^COPY [^\n]* FROM stdin;\n.*?^\\\.$", re.MULTILINE | re.DOTALL)
# The rows of other dumps: as tokens they would take minutes and gigabytes.
_INSERT = re.compile(r"^(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO\s", re.MULTILINE | re.IGNORECASE)
# By family, what is in quotes in such a statement, or its end. SQL Server's have none, and what
# describes Oracle's tables writes no rows.
_ESCAPING = r"{0}[^{0}\\]*(?:\\.[^{0}\\]*)*{0}"
_MYSQL = rf"{_ESCAPING.format(chr(39))}|{_ESCAPING.format(chr(34))}|`[^`]*`|;"
_POSTGRESQL = rf"[Ee]{_ESCAPING.format(chr(39))}|'[^']*'|\"[^\"]*\"|;"
_QUOTED_OR_END = {"mysql": _MYSQL, "postgresql": _POSTGRESQL, "gaussdb": _POSTGRESQL}
# `mysql -e 'show create table t'` writes a heading, then a name and the statement in one line.
_ONE_LINE = re.compile(
    r"^(?:Table\tCreate Table\n)?[^\t\n]*\t(CREATE TABLE [^\t\n]*\\n[^\t\n]*)$", re.MULTILINE
)
_ESCAPES = {"n": "\n", "t": "\t", "0": "\0"}


def statements_of(family: str, text: str) -> str:
    """Return the statements of a dump, in the same lines, without its rows.

    Args:
        family: the family of databases.
        text: the dump.

    >>> statements_of("mysql", r"INSERT INTO `t` VALUES (1,'a;\\';'); create table u (a int);")
    ' create table u (a int);'
    >>> statements_of("mysql", "t\\tCREATE TABLE `t` (" + r"\\n" + "`a` int)")
    'CREATE TABLE `t` (\\n`a` int);'
    """
    if family == "mysql":
        text = _ONE_LINE.sub(lambda found: f"{_unescaped(found[1])};", text)
    else:
        text = _COPIED.sub(lambda found: _line_breaks(found[0]), text)
    return "".join(_without_inserts(family, text)) if family in _QUOTED_OR_END else text


def _without_inserts(family: str, text: str) -> Iterator[str]:
    quoted_or_end = re.compile(_QUOTED_OR_END[family], re.DOTALL)
    at = 0
    while insert := _INSERT.search(text, at):
        parts = quoted_or_end.finditer(text, insert.end())
        end = next((one.end() for one in parts if one[0] == ";"), None)
        if end is None:
            break
        yield text[at : insert.start()]
        yield _line_breaks(text[insert.start() : end])
        at = end
    yield text[at:]


def _line_breaks(text: str) -> str:
    # errors name lines
    return "\n" * text.count("\n")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text)
