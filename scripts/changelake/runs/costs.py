"""What runs cost, recorded for the model `run_costs`."""

import contextlib
import time
from datetime import datetime, timezone
from typing import Any

from py4j.protocol import Py4JError

from changelake.build.report import BAD, GOOD
from changelake.core.json_lines import append_lines
from changelake.landing.job import LandingError
from changelake.runs.summary import RunSummary
from changelake.spark.jvm import java_packages

# Runs that had nothing to do, or could not begin, share one line for this long.
IDLE_SECONDS = 60.0
SAME = ("messages_landed", "models_built", "failed", "exit_code", "error")


class RunCosts:
    """Records what each run of a process did and cost.

    Args:
        target: the profile's target.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._pending: dict[str, Any] = {}
        self._cpu_seconds = (0.0, 0.0)
        self._written = -IDLE_SECONDS

    def add(self, seconds: float, done: RunSummary) -> None:
        """Record a run that ends now; the line of one that did nothing may wait for further runs.

        Args:
            seconds: how long it took.
            done: its summary.
        """
        line = _line(datetime.now(timezone.utc), seconds, done)
        line["cpu_seconds"] = self._cpu_seconds_since()
        pending = self._pending
        if pending and all(pending[name] == line[name] for name in SAME):
            pending["runs"] += 1
            pending["ended_at"] = line["ended_at"]
            for name in ("seconds", "cpu_seconds"):
                pending[name] = round(pending[name] + line[name], 3)
        else:
            self.close()
            self._pending = line
        did_something = line["messages_landed"] or done.built
        if did_something or time.monotonic() - self._written >= IDLE_SECONDS:
            self.close()

    def close(self) -> None:
        """Write the line that waits."""
        if not self._pending:
            return
        self._written = time.monotonic()
        append_lines("runs", self._target, [self._pending])
        self._pending = {}

    def _cpu_seconds_since(self) -> float:
        before, self._cpu_seconds = self._cpu_seconds, _cpu_seconds()
        # a Java process that has ended reports nothing
        return round(
            sum(max(0.0, b - a) for a, b in zip(before, self._cpu_seconds, strict=True)), 3
        )


def _line(now: datetime, seconds: float, done: RunSummary) -> dict[str, Any]:
    nodes = [one.name for one in done.built if one.status in BAD]
    not_landed = str(LandingError(done.landed)).replace("\n", "; ")
    return {
        "started_at": datetime.fromtimestamp(now.timestamp() - seconds, timezone.utc),
        "ended_at": now,
        "runs": 1,
        "seconds": round(seconds, 3),
        "messages_landed": sum(one.messages for one in done.landed),
        "bytes_landed": sum(one.bytes for one in done.landed),
        "messages_rejected": sum(one.messages for one in done.rejected),
        "models_built": sum(one.kind == "model" and one.status in GOOD for one in done.built),
        "failed": [one.feed for one in done.landed if one.error] + nodes,
        "exit_code": done.exit_code,
        "error": done.error or "; ".join(filter(None, [not_landed, *done.asked])) or None,
    }


def _cpu_seconds() -> tuple[float, float]:
    """Return the CPU time of this process, and of its Java process if that reports it."""
    from pyspark.sql import SparkSession

    java = 0.0
    # it may have ended, and some systems do not have the figure
    with contextlib.suppress(Py4JError, OSError):
        spark: Any = SparkSession.getActiveSession()
        if spark is not None:
            info = java_packages(spark).java.lang.ProcessHandle.current().info()
            java = info.totalCpuDuration().get().toMillis() / 1000
    return time.process_time(), java
