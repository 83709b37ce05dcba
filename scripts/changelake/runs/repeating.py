"""Runs that are repeated until a signal comes."""

import sys
import threading
import time
from collections.abc import Callable

from changelake.core.error_text import error_text
from changelake.core.errors import UserError, spark_has_ended
from changelake.core.logs import log_file
from changelake.core.terminal import say
from changelake.spark.interrupts import Interrupts
from changelake.spark.jvm import has_stopped


def run_again_and_again(run: Callable[[], int], seconds: float, interrupts: Interrupts) -> int:
    """Run until a signal comes. Errors that keep runs from starting are reported once, and retried.

    Args:
        run: a run; returns its exit code.
        seconds: from the start of a run to the start of the next one, if it is over by then.
        interrupts: the signal handlers.

    Returns:
        0 where nothing was under way, else the exit code of the interrupted run.

    Raises:
        Exception: the first run could not start, so that a wrong configuration shows at once; or
            Spark has stopped, which no run of this process restarts; or the error is a bug.
    """
    is_first, said = True, ""
    while True:
        begun = time.monotonic()
        code, error_said = 0, ""
        try:
            code = run()
        except Exception as error:
            text = error_text(error)
            # a bug, or a reader that has gone away, will not be better the next time
            is_lasting = text is None or isinstance(error, BrokenPipeError)
            if is_first or is_lasting or spark_has_ended(error) or has_stopped():
                raise
            error_said = str(text)
            if error_said != said:
                say(f"error: {error_said}: retrying every {seconds:g} s", sys.stderr)
        if interrupts.stop.is_set():
            return code
        if code and has_stopped():
            raise UserError(f"Spark has stopped, and this command with it: see {log_file()}")
        if said and not error_said:
            say("recovered")
        is_first, said = False, error_said
        pause = min(max(0.0, begun + seconds - time.monotonic()), threading.TIMEOUT_MAX)
        try:
            with interrupts.graceful():
                interrupts.stop.wait(pause)
        except KeyboardInterrupt:
            return 0
