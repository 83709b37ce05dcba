"""Splits a text into the statements of Spark SQL in it."""

import re

# In the order in which they are tried at a place. A raw string has no escapes.
_TOKEN = re.compile(
    r"""
      (?P<comment> --[^\n]* )
    | (?P<block> /\* )
    | (?P<raw> (?<![A-Za-z0-9_]) [rR] (?: '[^']*(?:'|$) | "[^"]*(?:"|$) ) )
    | (?P<text> '(?:\\.|''|[^'\\])*(?:'|$) | "(?:\\.|""|[^"\\])*(?:"|$) )
    | (?P<name> `(?:``|[^`])*(?:`|$) )
    | (?P<end> ; )
    | (?P<word> [A-Za-z0-9_]+ )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def split_statements(text: str) -> list[str]:
    """Return the statements of a text, without their semicolons and the comments around them.

    A `;` within a string, a quoted name or a comment ends nothing. Statements that hold nothing
    but comments are left out.
    """
    statements: list[str] = []
    current: list[str] = []
    filled = False
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None
        kind, token = match.lastgroup, match.group()
        if kind == "block":
            token = text[place : _block_end(text, place)]
        place += len(token)
        if kind == "end":
            if filled:
                statements.append("".join(current).strip())
            current, filled = [], False
        elif kind in ("comment", "block") and not filled and not token.startswith("/*+"):
            continue
        else:
            current.append(token)
            filled = filled or (kind not in ("comment", "block") and not token.isspace())
    if filled:
        statements.append("".join(current).strip())
    return statements


def _block_end(text: str, place: int) -> int:
    # Spark's block comments nest.
    depth = 0
    for match in re.finditer(r"/\*|\*/", text[place:]):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return place + match.end()
    return len(text)
