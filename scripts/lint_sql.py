"""Lints the SQL with sqlfluff: models as they are written, macros as what they compile to.

sqlfluff's dbt templater does not see into macros, so what dbt has compiled is linted besides, with
the raw templater. `dbt build` has to have run.
"""

import subprocess
import sys
from pathlib import Path

from changelake import settings
from changelake.errors import UserError, one_line_errors


@one_line_errors
def main() -> None:
    """Lint, and end with an error when something is found."""
    compiled = settings.REPO / "target" / "compiled"
    if not compiled.is_dir():
        raise UserError("there is no compiled SQL: run dbt build first")
    sqlfluff = str(Path(sys.executable).parent / "sqlfluff")
    passes = [
        ["models", "tests/singular"],
        ["--templater", "raw", "--ignore-local-config", "--config", ".sqlfluff-compiled", str(compiled)],
    ]  # fmt: skip
    for arguments in passes:
        done = subprocess.run(
            [sqlfluff, "lint", "--disable-progress-bar", *arguments],
            cwd=settings.REPO,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(done.stdout + done.stderr)
            raise UserError("sqlfluff has found something, see above")


if __name__ == "__main__":
    main()
