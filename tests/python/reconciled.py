"""A lake with current tables for tests of scripts/reconcile.py, and the command's results."""

import datetime
import json
import runpy
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from typer.testing import CliRunner

from bronze_rows import MILLIS, append_to_bronze, bronze_row
from canal import canal_message
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from processes import SCRIPTS

FEED = "reconciled"
DATABASE = "shop"


class Said(NamedTuple):
    """The command's output, and the differences that it wrote."""

    code: int
    text: str
    differences: list[dict[str, Any]]

    def cells(self, key: str) -> set[tuple[str, str, str | None]]:
        """Return each difference's kind, the value of a key column, and the column."""
        return {(one["kind"], one["key"][key], one["column"]) for one in self.differences}


class ReconciledLake:
    """Tables of one Canal feed with hand-written models."""

    def __init__(self, spark: Any, project: Path, directory: Path) -> None:
        self.spark, self.project, self.directory = spark, project, directory
        self._offset = 0
        seed = project / "seeds" / "feeds.csv"
        if FEED not in seed.read_text():
            with seed.open("a") as file:
                file.write(f"{FEED},{FEED},,canal,\n")
        (project / "models" / "current").mkdir(exist_ok=True)
        ensure_bronze(spark)

    def declare(self, name: str, columns: dict[str, Any], **meta: Any) -> None:
        """Write the model of a current table; its source table has the same name."""
        declared = {"feeds": [FEED], "database": DATABASE, "table": name, **meta}
        model = self.project / "models" / "current" / f"{name}.sql"
        model.write_text(
            f"{{{{ config(meta={declared | {'columns': columns}!r}) }}}}\n\n"
            "{{ table_events(ref('canal_events'), ref('feeds')) }}\n"
        )

    def declare_history(self, name: str) -> None:
        """Write the model of a declared table's history."""
        (self.project / "models" / "history").mkdir(exist_ok=True)
        model = self.project / "models" / "history" / f"{name}__history.sql"
        model.write_text(
            f"{{{{ config(alias={name!r}, meta={{'current': {name!r}}}) }}}}\n\n"
            "{{ table_events(ref('canal_events'), ref('feeds')) }}\n"
        )

    def land(
        self, table: str, *rows: dict[str, Any], kind: str = "INSERT", millis: int = MILLIS,
        topic: str = FEED,
    ) -> None:  # fmt: skip
        """Land a message with rows."""
        message = canal_message(
            kind, DATABASE, table, millis, rows,
            id=self._offset, pkNames=None, mysqlType=dict.fromkeys(rows[0], "text"),
        )  # fmt: skip
        value = json.dumps(message).encode()
        at = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        append_to_bronze(self.spark, "canal", [bronze_row(FEED, topic, 0, self._offset, at, value)])
        self._offset += 1

    def build(self) -> None:
        """Build what has landed."""
        with (self.directory / "build.log").open("w") as log:
            feeds = [Feed(FEED, "canal", (FEED,))]
            built = build_pending(self.spark, "local", feeds, Console(file=log, width=300))
        failed = [(one.name, one.message) for one in built.failed + built.failed_tests]
        assert not failed, failed

    def reconcile(self, *arguments: str) -> Said:
        """Run the command in this process and session."""
        output = self.directory / "differences.jsonl"
        app = runpy.run_path(str(SCRIPTS / "reconcile.py"))["app"]
        done = CliRunner().invoke(app, [*arguments, "--output", str(output)])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        lines = output.read_text().splitlines() if done.exit_code in (5, 6) else []
        return Said(done.exit_code, done.output, [json.loads(line) for line in lines])
