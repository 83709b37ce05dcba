"""Texts of a megabyte, as a message or an error can hold: each is read in a time that grows as it.

Python's regular expressions are meant, those of Spark are in test_regular_expressions.py.
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
# What begins, what is repeated, and what ends it in a way that nothing fits.
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
    # a hundredth first, since what is slow takes hours of the whole
    for size in (SIZE // 100, SIZE):
        text = begin + repeated * (size // len(repeated)) + end
        begun = time.process_time()
        READERS[reader](text)
        assert time.process_time() - begun < 1
