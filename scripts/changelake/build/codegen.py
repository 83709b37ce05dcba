"""Whether Spark writes and compiles Java for a run's queries (docs/decisions/0002-speed.md)."""

import contextlib
import os
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from changelake.core import tuning
from changelake.landing.bronze import BronzeTable
from changelake.spark.confs import set_confs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Below this many messages, parsing and merging is faster without generated code, even if all are
# for one table; for several tables the limit would be twice as high.
LITTLE = 50_000


def is_little(spark: "SparkSession", last: dict[str, Any], now: dict[str, Any]) -> bool:
    """Say whether a run has few messages to process, as far as that is quick to find out.

    Args:
        spark: the session.
        last: the inputs of the last run that left nothing to do, see Marks.idle(); empty: none.
        now: the inputs of this run.
    """
    # if anything besides bronze has changed, all messages may be processed again
    data = {"bronze": None, "events": None, "is_unfinished": None}
    since: dict[str, int] = last["bronze"] if {**last, **data} == {**now, **data} else {}
    landed = [
        BronzeTable(spark, one).landed_between(since.get(one, -1), newest)
        for one, newest in now["bronze"].items()
    ]
    return None not in landed and sum(filter(None, landed)) < LITTLE


@contextlib.contextmanager
def generated_code(spark: "SparkSession | None", generated: bool) -> Generator[None]:
    """Turn generated code on or off for a build, unless CHANGELAKE_CODEGEN decides."""
    if spark is None or tuning.CODEGEN_VARIABLE in os.environ:
        yield
        return
    with set_confs(spark, tuning.CODEGEN if generated else tuning.NO_CODEGEN):
        yield
