"""Errors meant for a person: one line that says what to do."""

import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

EXIT_ERROR = 1


class UserError(Exception):
    """Something that a person can put right. Its text is the whole message, without a traceback."""


def one_line_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with `error: …` on stderr and exit code 1 when it raises UserError.

    A reader of standard output that goes away (`| head`) is no error and ends the command quietly.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UserError as error:
            sys.stdout.flush()
            for line in str(error).splitlines():
                print(f"error: {line}", file=sys.stderr)
            raise SystemExit(EXIT_ERROR) from None
        except BrokenPipeError:
            # Python flushes stdout once more at exit, which would print the error again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(0) from None

    return wrapped
