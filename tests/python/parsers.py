"""The compiled text of each format's parser, for tests that run or explain it."""

import re
from pathlib import Path
from typing import Any

from changelake.build import Build

SOURCE = re.compile(r"\bfrom\s+`?bronze`?\.`?(\w+)`?", re.IGNORECASE)


def compiled_parsers(spark: Any, project: Path) -> dict[str, str]:
    """Return by format the SQL of its model of events, as for a first run on bronze."""
    build = Build(spark, "local", lambda node: None)
    if not spark.catalog.tableExists("silver.operation_codes"):
        build.invoke("seed", "--exclude", "path:seeds/samples")
    result = build.invoke("compile", "--full-refresh", "--select", "path:models/silver,*_events")
    assert not result.failed
    folder = project / "target" / "compiled" / "changelake" / "models" / "silver"
    return {
        file.stem.removesuffix("_events"): file.read_text()
        for file in folder.glob("*/*_events.sql")
    }


def on_view(parser: str, view: str) -> str:
    """Return a parser's SQL with a view in the place of bronze."""
    text, count = SOURCE.subn(f"from {view}", parser)
    assert count == 1
    return text
