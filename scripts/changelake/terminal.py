"""What people read: tables, reports and errors, in which no value or name commands a terminal."""

import contextlib
import os
import sys
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

# Control characters other than tab and line break (escape sequences begin with one, or are one),
# line separators, halves of surrogate pairs, and what turns the direction of the text around it.
_HIDDEN = [
    *range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F,
    *range(0x2028, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000),
]  # fmt: skip
_VISIBLE = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _HIDDEN}


def visible(text: str) -> str:
    r"""Return a text with what a terminal would obey, or not show, spelled out.

    >>> print(visible("\x1b[31mred\x9b0m \u202egnp.exe"))
    \x1b[31mred\x9b0m \u202egnp.exe
    """
    return text.translate(_VISIBLE)


def say(text: str, file: TextIO | None = None) -> None:
    """Print a text for a person, by default to standard output."""
    print(visible(text), file=file or sys.stdout, flush=True)


class Terminal(Console):
    """A console that shows texts as they are: visible(), and without markup unless that is asked.

    Args:
        options: Console's.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"highlight": False, "markup": False, "emoji": False, **options})

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as what Rich prints: of each text that it is given, in a table too."""
        return super().render_str(visible(text), **options)

    def on_broken_pipe(self) -> None:
        """Raise what print() raises when the reader is gone: Rich would end the thread with 1."""
        # what comes later is for nobody, Python's flush of the rest at its end included
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
        raise BrokenPipeError
