"""Output for people, in which no value or name can control the terminal."""

import contextlib
import os
import sys
from collections.abc import Generator
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

# Control characters other than tab and line break (escape sequences begin with one, or are one),
# line separators, halves of surrogate pairs, characters that change the direction of the text, and
# invisible ones: spaces without a width, joiners, marks and tags.
_HIDDEN = [
    *range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x00AD, 0x061C, *range(0x200B, 0x2010),
    *range(0x2028, 0x202F), *range(0x2060, 0x2070), *range(0xD800, 0xE000), 0xFEFF,
    *range(0xE0000, 0xE0080),
]  # fmt: skip


def _spelled(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_VISIBLE = {code: _spelled(code) for code in _HIDDEN}


def visible(text: str) -> str:
    r"""Return a text with control characters and invisible ones escaped.

    >>> print(visible("\x1b[31mred\x9b0m \u202egnp.exe"))
    \x1b[31mred\x9b0m \u202egnp.exe
    """
    return text.translate(_VISIBLE)


def in_line(text: str) -> str:
    r"""Return a text as one line: line breaks in a name, which could forge lines, are escaped.

    >>> print(in_line("written   a\nwritten   b"))
    written   a\x0awritten   b
    """
    return visible(text).replace("\n", _spelled(ord("\n")))


def say(text: str, file: TextIO | None = None) -> None:
    """Print a text for a person, by default to standard output."""
    print(visible(text), file=file or sys.stdout, flush=True)


class Terminal(Console):
    """A console that shows texts as they are: visible(), and without markup unless that is asked.

    Args:
        options: Console's.
    """

    def __init__(self, **options: Any) -> None:
        plain: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
        super().__init__(**plain | options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as what Rich prints: of each text that it is given, in a table too."""
        return super().render_str(visible(text), **options)

    def on_broken_pipe(self) -> None:
        """Raise what print() raises when the reader is gone; Rich would exit with 1."""
        # nobody reads what follows, including what Python flushes at exit
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
        raise BrokenPipeError


@contextlib.contextmanager
def waiting(text: str) -> Generator[None]:
    """Show on a terminal what a person waits for, as long as this lasts; an empty text: nothing."""
    console = Terminal(stderr=True)
    if text and console.is_terminal:
        with console.status(text):
            yield
    else:
        yield
