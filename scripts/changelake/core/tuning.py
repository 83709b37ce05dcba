"""How much of the machine Spark takes: threads, Java's compilers, generated code."""

import os
import re

from changelake.core.errors import UserError

JAVA_VARIABLE = "CHANGELAKE_JAVA_OPTIONS"
CODEGEN_VARIABLE = "CHANGELAKE_CODEGEN"
THREADS_VARIABLE = "CHANGELAKE_THREADS"
# With little data, much of the time goes into compiling code that hardly runs: the Java that Spark
# generates for each query, and in the first two minutes what Java's second compiler optimizes.
FOR_MINUTES = "-XX:ReservedCodeCacheSize=512m"
LITTLE_DATA = {
    JAVA_VARIABLE: f"-XX:TieredStopAtLevel=1 {FOR_MINUTES}",
    CODEGEN_VARIABLE: "false",
}
# The same for queries, as settings that a running session can change.
NO_CODEGEN = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
CODEGEN = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}


def threads() -> int:
    """Return how many tables are built in parallel: planning one keeps a core busy.

    Raises:
        UserError: CHANGELAKE_THREADS is not such a number.
    """
    text = os.environ.get(THREADS_VARIABLE, "").strip()
    if text and not re.fullmatch(r"[1-9][0-9]?", text):
        raise UserError(f"{THREADS_VARIABLE}={text}: give a number of tables, from 1 to 99")
    return int(text or max(2, os.cpu_count() or 2))


def expect_little_data(for_minutes: bool = False) -> None:
    """Tune Spark for little data, except for what the environment sets.

    Args:
        for_minutes: the process runs long enough for Java's second compiler to pay off.
    """
    changed = {JAVA_VARIABLE: FOR_MINUTES} if for_minutes else {}
    for name, value in (LITTLE_DATA | changed).items():
        os.environ.setdefault(name, value)
