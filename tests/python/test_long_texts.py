"""Texts of a megabyte, as in a message or an error, are read in time proportional to their length.

This is about regular expressions in Python; test_regular_expressions.py covers those in Spark.
"""

import time
from collections.abc import Callable

import pytest

from changelake.build.messages import one_line
from changelake.core.errors import sql_error
from changelake.landing.explain import explain
from changelake.onboarding.declarations import declare
from changelake.onboarding.source_types import dialects_of, split_type
from changelake.onboarding.values import Values

SIZE = 1_000_000
READERS: dict[str, Callable[[str], object]] = {
    "split_type": split_type,
    "declare": lambda text: declare("canal", "mysql", text, Values()),
    "dialects_of": lambda text: dialects_of("canal", [text]),
    "one_line": one_line,
    "sql_error": lambda text: sql_error(ValueError(text)),
    "explain": explain,
}
# The beginning, the part that is repeated, and an end that makes the match fail.
WORST = {
    "blanks and a parenthesis": ("x", " ", ")"),
    "blanks after a parenthesis": ("x(", " ", "("),
    "parentheses": ("x", "(", ""),
    "closed ones": ("x", ")", "("),
    "pairs": ("x", "()", "("),
    "quotes": ("enum('a", "'", ""),
    "labels": ("enum(", "'a',", ""),
    "letters": ("x", "x", ")"),
    "numbers": ("decimal(", "9", ")"),
    "a charset": ("int(1) ", "charset ", "!"),
    "line breaks": ("x", "\n", "x"),
    "lines of blanks": ("x", "\n ", "x"),
    "lines of no stack": ("x", "\n at x", "x"),
    "semicolons": ("x", ";\n ", "x"),
    "a line's number": ("x; line ", "1", "x"),
    "messages": ('errorMessage="', '", x', ""),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("worst", WORST)
def test_a_long_text_is_read_in_a_second(reader: str, worst: str) -> None:
    begin, repeated, end = WORST[worst]
    # A hundredth comes first, since a slow reader would take hours for all of it.
    for size in (SIZE // 100, SIZE):
        text = begin + repeated * (size // len(repeated)) + end
        begun = time.process_time()
        READERS[reader](text)
        assert time.process_time() - begun < 1
