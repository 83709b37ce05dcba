"""How a command ends: with one line that says what to do."""

import functools
import io
import os
import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from changelake.core import settings
from changelake.core.error_text import error_text
from changelake.core.errors import EXIT_ERROR
from changelake.core.terminal import say

P = ParamSpec("P")
R = TypeVar("R")

EXIT_PIPE = 141


def one_line_errors(command: Callable[P, R], gone_reader: int = EXIT_PIPE) -> Callable[P, R]:
    """Make a command print `error: …` to stderr and exit with 1 for errors that a person can fix.

    Those are a UserError, a file that cannot be read or written, a statement that Spark refuses,
    and the end of Spark's process. Anything else is a bug and gets a traceback, see visible(). If
    the reader of standard output goes away (`| head`), the command ends quietly. Characters that
    the terminal's encoding lacks are escaped, and output to a closed stream is discarded.

    Args:
        command: what is called.
        gone_reader: the exit code if the reader goes away. By default that of a program killed by
            SIGPIPE, since its work is incomplete; 0 for a command that only prints.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        _prepare_streams()
        try:
            settings.check_variables()
            return command(*args, **kwargs)
        except BrokenPipeError:
            # Python flushes stdout once more at exit, which would print the error again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(gone_reader) from None
        except Exception as error:
            text = error_text(error)
            if text is None:
                # its text may contain control characters of a message
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
    # as Python prints it, with control characters escaped
    sys.stdout.flush()
    say("".join(traceback.format_exception(kind, error, trace)).rstrip("\n"), sys.stderr)
