"""The line that tells a person about an error, whatever raised it."""

import errno
import os
import sys
from typing import TypeGuard

from py4j.protocol import Py4JJavaError

from changelake.core import settings
from changelake.core.errors import UserError, java_message, os_reason, spark_has_ended, sql_error
from changelake.core.logs import log_hint

_GONE = "the directory in which this was called is gone: change into another one"


def error_text(error: BaseException) -> str | None:
    """Return the line that tells a person about an error; None for a bug in the program."""
    if isinstance(error, UserError):
        return str(error)
    if spark_has_ended(error):
        return (
            f"Spark's Java process has ended: {log_hint()}; where its memory was too small, set"
            " a larger CHANGELAKE_SPARK_MEMORY"
        )
    if isinstance(error, Py4JJavaError):
        return f"Spark: {java_message(error)}: {log_hint()}"
    if _is_of_spark(error):
        return f"Spark: {sql_error(error)}: {log_hint()}"
    if isinstance(error, OSError):
        reason = os_reason(error)
        if not error.filename:
            if _is_gone(error):
                return _GONE
            do = "make room" if error.errno == errno.ENOSPC else log_hint()
            return f"could not open a file or a connection: {reason}: {do}, and run again"
        return f"{error.filename}: {reason}{settings.origin_of(str(error.filename))}"
    return None


def _is_of_spark(error: BaseException) -> TypeGuard[Exception]:
    # not imported here, which takes a while: if nothing else has, it has raised nothing
    known = sys.modules.get("pyspark.errors")
    return known is not None and isinstance(error, known.PySparkException)


def _is_gone(error: OSError) -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return isinstance(error, FileNotFoundError)
    return False
