"""Lints compiled SQL with sqlfluff.

sqlfluff's dbt templater does not lint macros, where most of the SQL is, and fails on models whose
refs come from a loop. The compiled SQL has all of it, so `dbt build` has to run first.
"""

import subprocess
import sys
from pathlib import Path
from typing import cast

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.files import write_whole
from changelake.core.macros import macro_result, macro_sql

# 200 KB of literals, which take sqlfluff minutes.
LEFT_OUT = {"every_value_is_exact.sql"}
# One of each kind of the samples' current tables, since each takes seconds: with a key, without
# one, with positions, partial images, documents, a zone.
CURRENT = {
    "canal_shop__orders.sql",
    "canal_shop__visits.sql",
    "dbz_shop__orders.sql",
    "ckafka_shop__items.sql",
    "mongo_shop__orders.sql",
    "drs_shop__orders.sql",
}

# Macros that only scripts call, with arguments like theirs.
OF_SCRIPTS = {
    "events_by_table": ("silver.canal_events", "parse_batch > 0"),
    "names_at_once": ("silver.canal_events", "feed = 'lab'", "'a', 'b'"),
    "seen_columns": ("silver.source_columns",),
    "seen_documents": ("silver.change_events", "feed = 'lab'"),
    "uncounted_tables": ("silver.canal_events", "0"),
    "seen_values": ("silver.change_events", "feed = 'lab'", "column_name = 'tags'"),
}


@one_line_errors
def main() -> None:
    """Lint, and end with an error when something is found."""
    compiled = settings.REPO / "target" / "compiled"
    files = [
        str(path)
        for path in sorted(compiled.rglob("*.sql"))
        for folders in [path.relative_to(compiled).parent.parts]
        # folders named *.yml have unit and generic tests: the same SQL, or dbt's own
        if path.name not in LEFT_OUT and not any(one.endswith(".yml") for one in folders)
        if "current" not in folders or path.name in CURRENT
    ]
    if not files:
        raise UserError("there is no compiled SQL: run dbt build first")
    for name, text in _of_scripts().items():
        file = settings.REPO / "target" / "compiled_for_scripts" / f"{name}.sql"
        write_whole(file, text + "\n")
        files.append(str(file))
    options = ["--disable-progress-bar", "--ignore-local-config", "--config", ".sqlfluff-compiled"]
    done = subprocess.run(
        [str(Path(sys.executable).parent / "sqlfluff"), "lint", *options, *files],
        cwd=settings.REPO,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        print(done.stdout)
        raise UserError("sqlfluff has found something, see above")


def _of_scripts() -> dict[str, str]:
    texts = {name: macro_sql("onboarding", name, *values) for name, values in OF_SCRIPTS.items()}
    figures = macro_result("health", "figures", "timestamp'2026-03-01 00:00:00'", "30", "7")
    return texts | {f"figures_{name}": text for name, text in cast(dict[str, str], figures).items()}


if __name__ == "__main__":
    main()
