"""How much of the machine Spark takes: threads, Java's compilers, generated code."""

import os
import re

from changelake.core.errors import UserError

JAVA_VARIABLE = "CHANGELAKE_JAVA_OPTIONS"
CODEGEN_VARIABLE = "CHANGELAKE_CODEGEN"
THREADS_VARIABLE = "CHANGELAKE_THREADS"
# On little data much of the time goes into compiling code that is hardly used then: into the Java
# that Spark writes for each query, and in the first two minutes into Java's second compiler.
FOR_MINUTES = "-XX:ReservedCodeCacheSize=512m"
LITTLE_DATA = {
    JAVA_VARIABLE: f"-XX:TieredStopAtLevel=1 {FOR_MINUTES}",
    CODEGEN_VARIABLE: "false",
}
# That of queries, as a session can have it changed while it runs.
NO_CODEGEN = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
CODEGEN = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}


def threads() -> int:
    """Return how many tables are built side by side: planning one keeps a core busy.

    Raises:
        UserError: CHANGELAKE_THREADS is no such number.
    """
    text = os.environ.get(THREADS_VARIABLE, "").strip()
    if text and not re.fullmatch(r"[1-9][0-9]?", text):
        raise UserError(f"{THREADS_VARIABLE}={text}: give a number of tables, from 1 to 99")
    return int(text or max(2, os.cpu_count() or 2))


def expect_little_data(for_minutes: bool = False) -> None:
    """Have Spark start for little data, but as the environment says where it says something.

    Args:
        for_minutes: the process goes on for so long that Java's second compiler pays.
    """
    changed = {JAVA_VARIABLE: FOR_MINUTES} if for_minutes else {}
    for name, value in (LITTLE_DATA | changed).items():
        os.environ.setdefault(name, value)
