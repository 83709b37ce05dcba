"""Writes the models of tables, and reports their files and what to run next."""

from pathlib import Path

from changelake.core import settings
from changelake.core.terminal import in_line, say
from changelake.core.words import counted
from changelake.onboarding.found_models import has_model
from changelake.onboarding.model_files import add_columns, write_history, write_table
from changelake.onboarding.options import Options
from changelake.onboarding.tables import SourceTable


class ModelWriter:
    """Writes models, and reports the outcome for each file; with --all, only for changed files.

    Args:
        options: which models to write, and how.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._unchanged = 0
        self._new: list[str] = []
        self._grown: list[str] = []

    def write(self, table: SourceTable, remarks: list[str]) -> None:
        """Write the models of a table.

        Args:
            table: with its key known.
            remarks: what to say of it, besides what writing it shows.

        Raises:
            UserError: a model cannot be written.
        """
        is_new = not has_model(table)
        written = add_columns(table) if self._options.update else write_table(table)
        remarks = [*remarks, *written.remarks]
        self._print(written.files, table.name, is_remarked=bool(remarks))
        for remark in remarks:
            say(in_line(f"          {remark}"))
        if is_new:
            self._new.append(table.relation)
        elif "updated" in written.files.values():
            self._grown.append(table.relation)
        if self._options.history:
            self._print(write_history(table))

    def conclude(self) -> None:
        """Report how many files are unchanged, and the command that builds the models."""
        if self._unchanged:
            say(f"{'unchanged':9} {counted(self._unchanged, 'file')}")
        target = self._options.target
        # a rewritten model has its command in a remark
        command = "scripts/run.py" + (f" --target {target}" if target != "local" else "")
        if self._grown:
            say(f"{'next':9} {command} --select {' '.join(self._new + self._grown)}")
        elif self._new:
            say(f"{'next':9} {command}")

    def _print(self, files: dict[Path, str], table: str = "", is_remarked: bool = False) -> None:
        for file, outcome in files.items():
            is_model = bool(table) and file.suffix == ".sql"
            is_news = outcome != "unchanged" or (is_model and is_remarked)
            if self._options.all_tables and not is_news:
                self._unchanged += 1
                continue
            shown = f"{outcome:9} {file.relative_to(settings.REPO)}"
            say(in_line(f"{shown}  ({table})" if is_model else shown))
