"""Walks through the SQL of any database: words, names, strings, parentheses and types.

sqlglot's parsers fail on storage clauses and on statements that they do not know, so only its
tokenizers are used.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import TokenType

from changelake.onboarding.sql_families import DIALECTS, folded

# Words that can follow a column's type, and are never part of one.
_BEHIND_A_TYPE = {
    "after", "as", "auto_increment", "auto_random", "autoincrement", "charset", "check", "collate",
    "column_format", "column_set", "comment", "compressed", "compression", "constraint", "default",
    "disable", "enable", "encode", "encrypt", "filestream", "first", "generated", "identity",
    "invisible", "key", "masked", "not", "null", "on", "options", "partition", "persistent",
    "primary", "references", "rowguidcol", "sort", "sparse", "srid", "storage", "stored", "unique",
    "using", "virtual", "visible", "zerofill",
}  # fmt: skip
# First words of elements in a table's parentheses that are no columns, and the words after them.
_CONSTRAINTS = {
    "constraint": None, "foreign": {"key"}, "primary": {"key"}, "unique": None, "check": {"("},
    "exclude": {"using", "("}, "like": None, "period": {"for"}, "supplemental": {"log"},
}  # fmt: skip
# Likewise, by the family of databases that has them.
_INDEXES = {
    "mysql": {"fulltext", "index", "key", "spatial", "vector"},
    "sqlserver": {"index"},
}
# N'…', E'…', $$…$$ and Oracle's q'[…]' are strings too.
_STRINGS = (
    TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.BYTE_STRING, TokenType.HEREDOC_STRING,
    TokenType.RAW_STRING, TokenType.NATIONAL_RAW_STRING,
)  # fmt: skip


# What sqlglot says of a quote without its end: the line where the text ends, and where it begins.
_MISSING = re.compile(r"Missing (\S+) from \d+:(\d+)")


class NoName(Exception):
    """There is no name where the SQL needs one."""


class Unclosed(TokenError):
    """A quote, a comment or a parenthesis has no end.

    Args:
        text: the statements.
        start: where it begins.
        sign: what is missing.
    """

    def __init__(self, text: str, start: int, sign: str) -> None:
        line = text.count("\n", 0, start) + 1
        super().__init__(f"line {line}: what begins there lacks its {sign}")


@dataclass(frozen=True)
class Token:
    """A word, a sign, a quoted name or a string, and where it stands.

    Attributes:
        text: what is in the quotes, where there are any.
        kind: `IDENTIFIER` and `STRING` are in quotes.
    """

    text: str
    kind: TokenType
    start: int
    end: int

    @property
    def word(self) -> str:
        """Return it in lower case; empty if it is quoted."""
        return "" if self.kind in (TokenType.IDENTIFIER, TokenType.STRING) else self.text.lower()


def _tokens(family: str, text: str) -> Iterator[Token]:
    try:
        found = sqlglot.tokenize(text, read=DIALECTS[family])
    except TokenError as error:
        if missing := _MISSING.match(str(error.__cause__)):
            raise Unclosed(text, int(missing[2]), missing[1]) from None
        # else sqlglot has looked for a character behind the text
        if text.endswith(("'", '"', "`")):
            raise Unclosed(text, len(text) - 1, text[-1]) from None
        if (start := text.rfind("/*")) >= 0:
            raise Unclosed(text, start, "*/") from None
        raise
    for one in found:
        kind = TokenType.STRING if one.token_type in _STRINGS else one.token_type
        if kind in (TokenType.IDENTIFIER, TokenType.STRING):
            yield Token(one.text, kind, one.start, one.end + 1)
            continue
        # sqlglot makes one token of words that belong together, such as `primary key`
        for part in re.finditer(r"\S+", text[one.start : one.end + 1]):
            start, end = (one.start + place for place in part.span())
            yield Token(part.group(), one.token_type, start, end)


class Tokens:
    """Walks through the tokens of statements.

    Args:
        family: the family of databases that they are for.
        text: the statements.

    Raises:
        SqlglotError: they are for another family.

    Attributes:
        family: see above.
        tokens: all of them.
        at: the place of the one that comes next.
    """

    def __init__(self, family: str, text: str) -> None:
        self.family, self._text = family, text
        self.tokens = list(_tokens(family, text))
        self.at = 0

    def word(self, ahead: int = 0) -> str:
        """Return a token in lower case; empty if it is quoted, and after the last one."""
        place = self.at + ahead
        return self.tokens[place].word if place < len(self.tokens) else ""

    def takes(self, *words: str) -> bool:
        """Go past these words if they come next, and say whether they did."""
        if any(self.word(ahead) != word for ahead, word in enumerate(words)):
            return False
        self.at += len(words)
        return True

    def takes_table(self) -> bool:
        """Go past `table`, and what can stand before it."""
        # `or replace`, `global temporary`, `unlogged` and the like
        for ahead in range(4):
            if self.word(ahead) == "table":
                self.at += ahead + 1
                self.takes("if", "not", "exists")
                return True
            if not self.word(ahead).isidentifier():
                break
        return False

    def name(self) -> str:
        """Go past a name, and return it as the database has it.

        Raises:
            NoName: there is none.
        """
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        is_quoted = token is not None and (
            token.kind == TokenType.IDENTIFIER
            # MySQL with ANSI_QUOTES; without it, no string is in the place of a name
            or (token.kind == TokenType.STRING and self._text[token.start] == '"')
        )
        if token is None or not (is_quoted or re.match(r"\w|[@#$]", token.word)):
            raise NoName
        self.at += 1
        if is_quoted:
            return token.text
        return folded(token.text, self.family)

    def names(self) -> tuple[str, ...]:
        """Go past a qualified name."""
        names = [self.name()]
        while self.takes("."):
            names.append(self.name())
        return tuple(names)

    def parenthesized(self) -> Iterator[None]:
        """Yield at each element of the parentheses that begin here; end after them.

        Raises:
            Unclosed: they have no end.
        """
        start = self.tokens[self.at].start
        self.at += 1
        while not self.takes(")"):
            if self.at >= len(self.tokens):
                raise Unclosed(self._text, start, ")")
            yield
            self.to(",", ")")
            self.takes(",")

    def to(self, *words: str) -> None:
        """Go to one of these words outside of further parentheses, or to the end."""
        depth = 0
        while self.at < len(self.tokens) and (depth or self.word() not in words):
            depth += {"(": 1, ")": -1}.get(self.word(), 0)
            if depth < 0:
                return
            self.at += 1

    def string(self) -> str:
        """Go past a string, and return what is in it; empty where there is none."""
        if not self.is_string():
            return ""
        self.at += 1
        return self.tokens[self.at - 1].text

    def is_string(self) -> bool:
        """Say whether a string comes next."""
        return self.at < len(self.tokens) and self.tokens[self.at].kind == TokenType.STRING

    def type_text(self) -> str:
        """Go past a type, and return it as it is written."""
        parts: list[str] = []
        end = self.tokens[self.at - 1].end
        depth = 0
        while self.at < len(self.tokens):
            word = self.word()
            if not depth and (word in (",", ")", ";") or self._is_behind_type(bool(parts))):
                break
            depth += {"(": 1, ")": -1}.get(word, 0)
            token = self.tokens[self.at]
            is_quoted = token.kind == TokenType.IDENTIFIER
            parts.append(" " if parts and token.start > end else "")
            parts.append(token.text if is_quoted else self._text[token.start : token.end])
            end = token.end
            self.at += 1
        return "".join(parts)

    def is_constraint(self) -> bool:
        """Say whether a constraint or an index comes next, and no column."""
        word = self.word()
        if word in _CONSTRAINTS:
            return _CONSTRAINTS[word] is None or self.word(1) in (_CONSTRAINTS[word] or ())
        return word in _INDEXES.get(self.family, ())

    def _is_behind_type(self, has_type: bool) -> bool:
        word, following = self.word(), self.word(1)
        if word in _BEHIND_A_TYPE:
            return True
        # `character varying` and `with time zone` are parts of types
        return has_type and (
            (word == "character" and following == "set")
            or (word in ("with", "without") and following not in ("time", "local"))
        )
