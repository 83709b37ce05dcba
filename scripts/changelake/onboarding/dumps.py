"""What dumps and clients write besides statements."""

import re
from collections.abc import Iterator

# The rows of pg_dump, which are no SQL.
_COPIED = re.compile(r"^COPY [^\n]* FROM stdin;\n.*?^\\\.$", re.MULTILINE | re.DOTALL)
# The rows of other dumps: as tokens they would take minutes and gigabytes.
_INSERT = r"^(?i:INSERT|REPLACE)\s+(?i:IGNORE\s+)?(?i:INTO)\s"
# By family, the quotes and comments in which such a statement does not begin or end. SQL Server's
# need no semicolon at their end, and what describes Oracle's tables writes no rows.
_ESCAPING = r"{0}[^{0}\\]*(?:\\.[^{0}\\]*)*{0}"
_MYSQL = (
    rf"{_ESCAPING.format(chr(39))}|{_ESCAPING.format(chr(34))}|`[^`]*`"
    r"|/\*.*?\*/|--(?=\s)[^\n]*|#[^\n]*"
)
_POSTGRESQL = (
    rf"[Ee]{_ESCAPING.format(chr(39))}|'[^']*'|\"[^\"]*\"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
    r"|/\*.*?\*/|--[^\n]*"
)
_OPAQUE = {"mysql": _MYSQL, "postgresql": _POSTGRESQL, "gaussdb": _POSTGRESQL}
# `mysql -e 'show create table t'` writes a heading, then a name and the statement in one line.
_ONE_LINE = re.compile(
    r"^(?:Table\tCreate Table\n)?[^\t\n]*\t(CREATE TABLE (?=[^\t\n]*\\n)[^\t\n]*)$", re.MULTILINE
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
    return "".join(_without_inserts(family, text)) if family in _OPAQUE else text


def _without_inserts(family: str, text: str) -> Iterator[str]:
    opaque = _OPAQUE[family]
    begin = re.compile(rf"(?P<insert>{_INSERT})|{opaque}", re.MULTILINE | re.DOTALL)
    end = re.compile(rf";|{opaque}", re.DOTALL)
    at = given = 0
    while found := begin.search(text, at):
        at = found.end()
        if not found["insert"]:
            continue
        ends = (one.end() for one in end.finditer(text, at) if one[0] == ";")
        if (at := next(ends, -1)) < 0:
            break
        yield text[given : found.start()]
        yield _line_breaks(text[found.start() : at])
        given = at
    yield text[given:]


def _line_breaks(text: str) -> str:
    # errors name lines
    return "\n" * text.count("\n")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text)
