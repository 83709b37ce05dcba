"""Text with macros as dbt compiles it, for tests that run or read it."""

from typing import Any

from dbt.cli.main import dbtRunner

from changelake.build.dbt import parse


def compiled_text(inline: str) -> str:
    """Return a text as dbt compiles it for target local, with the project in this directory."""
    manifest = parse("local")
    # dbt adds the text to the project that it is given, which the next call gets again.
    manifest.nodes.pop("sql_operation.changelake.inline_query", None)
    outcome = dbtRunner(manifest).invoke(
        ["--quiet", "--log-level", "none", "compile", "--target", "local", "--inline", inline]
    )
    assert outcome.exception is None, outcome.exception
    # Its type depends on the command.
    result: Any = outcome.result
    return str(result.results[0].node.compiled_code)
