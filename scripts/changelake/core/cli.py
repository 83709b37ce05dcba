"""How a command ends: with one line that says what to do."""

import functools
import io
import os
import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from changelake.core.error_text import error_text
from changelake.core.errors import EXIT_ERROR
from changelake.core.terminal import say

P = ParamSpec("P")
R = TypeVar("R")

EXIT_PIPE = 141


def one_line_errors(command: Callable[P, R], gone_reader: int = EXIT_PIPE) -> Callable[P, R]:
    """Make a command end with `error: …` on stderr and exit code 1 for what a person can put right.

    That is a UserError, a file that cannot be read or written, what Spark refuses, and the end of
    its process. What else goes wrong is a mistake in the program, whose traceback is visible().
    A reader of standard output that goes away (`| head`) ends the command quietly. What the
    terminal's encoding lacks is spelled out, and an output that is closed takes everything.

    Args:
        command: what is called.
        gone_reader: the exit code where the reader goes away: that of a program which SIGPIPE ends,
            since not all was done; 0 where the output is all that there was to do.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        _prepare_streams()
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:
            # Python flushes stdout once more at exit, which would print the error again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(gone_reader) from None
        except Exception as error:
            text = error_text(error)
            if text is None:
                # what it says may be a message's
                sys.excepthook = _show_traceback
                raise
            sys.stdout.flush()
            for line in text.split("\n"):
                say(f"error: {line}", sys.stderr)
            raise SystemExit(EXIT_ERROR) from None

    return wrapped


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if stream is None:
            # closed by the caller (`>&-`); Python then has none
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _show_traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    # as Python does, but for what a terminal would obey
    sys.stdout.flush()
    say("".join(traceback.format_exception(kind, error, trace)).rstrip("\n"), sys.stderr)
