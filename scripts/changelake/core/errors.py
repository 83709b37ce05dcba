"""Errors meant for a person: one line that says what to do."""

import re
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError

EXIT_ERROR = 1
# No part of a lake may be older than another: with a checkpoint that is older than bronze, Delta
# would take new batches for landed ones.
RESTORE = "restore the whole lake from one backup, or land into a new one (CHANGELAKE_HOME)"
# Where the statement, the query, its plan or Java's stack trace begins. A word with a quote at its
# end too is a name, not part of a plan.
_INSIDE = re.compile(r";?\n[^\S\n]*(?:={2,3} |JVM stacktrace|at \S+\(|'[A-Z]\w+\b(?!')|[+:]- )")
# What a Thrift server puts before Spark's words: the error's code, which they begin with too, and
# the exception's class.
_OF_SERVER = re.compile(r"\AError running query: (?:\[[\w.]+\] )?(?:[\w.$]+: )?")


class UserError(Exception):
    """An error that a person can fix. Its text is all that is printed, without a traceback."""


def java_cause(error: BaseException) -> Any:
    """Return the innermost cause of an exception from Java, None of any other one."""
    return innermost(getattr(error, "java_exception", None))


def innermost(exception: Any) -> Any:
    """Return the innermost cause of one of Java's exceptions (or None)."""
    while exception is not None and exception.getCause() is not None:
        exception = exception.getCause()
    return exception


def java_class(error: BaseException) -> str:
    """Return the name of the innermost cause's class, without its package; else an empty text."""
    exception = java_cause(error)
    return "" if exception is None else str(exception.getClass().getSimpleName())


def java_message(error: BaseException) -> str:
    """Return the innermost cause of an exception from Java in one line."""
    exception = java_cause(error)
    return " ".join(str(error).split()) if exception is None else exception_text(exception)


def exception_text(exception: Any) -> str:
    """Return one of Java's exceptions in one line."""
    kind = str(exception.getClass().getSimpleName())
    message = " ".join(str(exception.getMessage() or "").split())
    return f"{message} ({kind})" if message else kind


def outer_lines(text: str) -> str:
    """Return the message of an error from Spark or Java, without the plan or stack trace after it.

    >>> outer_lines("[BROKEN] the log\\n\\tat org.Log.read(Log.scala:1)\\n\\tat java.base/Main.x()")
    '[BROKEN] the log'
    >>> outer_lines("[NOT_FOUND] no t; line 2 pos 14;\\n'Project [*]\\n+- 'UnresolvedRelation [t]")
    '[NOT_FOUND] no t; line 2 pos 14'
    >>> outer_lines("[PARSE]\\nSyntax error at 'x'.\\n\\n== SQL ==\\nx\\n^^^")
    "[PARSE]\\nSyntax error at 'x'.\\n"
    """
    return _INSIDE.split(text, maxsplit=1)[0]


def spark_has_ended(error: BaseException) -> bool:
    """Say whether an error is that Spark's Java process does not answer."""
    if isinstance(error, ConnectionError):
        # what py4j gets at its next call
        return not isinstance(error, BrokenPipeError)
    return isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError)


def os_reason(error: OSError) -> str:
    """Return why the operating system refuses a path, in words that fit a configured path."""
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "there is a file where a directory has to be"
    return error.strerror or str(error)


def is_catalog_taken(error: BaseException) -> bool:
    """Say whether an error says that another process has the embedded catalog open."""
    text = str(error)
    return "XSDB6" in text or "Another instance of Derby" in text


def sql_error(error: Exception) -> UserError:
    """Return an error of Spark's as one line: what is wrong, without plans and stack traces."""
    if isinstance(error, UserError):
        return error
    if is_catalog_taken(error):
        return UserError("the catalog is in use by another process: end that, or try again later")
    exception = java_cause(error)
    # PyHive's errors hold the response of a Thrift server.
    response = error.args[0] if error.args else None
    text = getattr(getattr(response, "status", None), "errorMessage", None)
    if exception is not None:
        text = str(exception.getMessage() or exception.toString())
    text = _OF_SERVER.sub("", text or str(error))
    text = " ".join(outer_lines(text).split()).rstrip(";")
    return UserError(text or type(error).__name__)
