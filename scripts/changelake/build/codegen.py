"""Whether Spark writes and compiles Java for a run's queries (docs/decisions/0002-speed.md)."""

import contextlib
import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from changelake.core import tuning
from changelake.landing.bronze import landed_between
from changelake.spark.confs import set_confs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Fewer messages than these are parsed and merged sooner without generated code, also where they are
# all of one table; of more tables it would be twice as many.
LITTLE = 50_000


def is_little(spark: "SparkSession", last: dict[str, Any], now: dict[str, Any]) -> bool:
    """Say whether a run has few messages to look at, as far as that is soon known.

    Args:
        spark: the session.
        last: what the last run that left nothing to do was made of, see Marks.idle(); empty: none.
        now: what this run is made of, likewise.
    """
    # what is new, has changed or was lost is made of all messages that there are
    data = {"bronze": None, "events": None, "is_unfinished": None}
    since: dict[str, int] = last["bronze"] if {**last, **data} == {**now, **data} else {}
    landed = [
        landed_between(spark, one, since.get(one, -1), newest)
        for one, newest in now["bronze"].items()
    ]
    return None not in landed and sum(filter(None, landed)) < LITTLE


@contextlib.contextmanager
def generated_code(spark: "SparkSession | None", generated: bool) -> Generator[None]:
    """Have Spark compile the queries of a build, or not, where CHANGELAKE_CODEGEN does not say."""
    if spark is None or tuning.CODEGEN_VARIABLE in os.environ:
        yield
        return
    with set_confs(spark, tuning.CODEGEN if generated else tuning.NO_CODEGEN):
        yield
