#!/usr/bin/env python3
"""Writes the current and history models of tables that were seen in the events."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

import shlex
from pathlib import Path
from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.core.terminal import in_line, say
from changelake.core.words import counted
from changelake.onboarding.choosing import (
    choose_tables,
    keys_of,
    without_clashes,
    without_shards,
)
from changelake.onboarding.found_models import has_model
from changelake.onboarding.kept_declarations import keep_key
from changelake.onboarding.model_files import add_columns, write_history, write_table
from changelake.onboarding.schema_files import read_schema
from changelake.onboarding.schema_matching import take_schema
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.seen import (
    check_rejects,
    look_at_alters,
    look_at_values,
    seen_tables,
)
from changelake.onboarding.shards import seen_shards
from changelake.onboarding.tables import SourceTable
from changelake.query.sql import check_lake
from changelake.spark.session import spark_session
from changelake.spark.sql_session import SqlSession
from changelake.spark.thrift import ThriftSession

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def _check_options(
    all_tables: bool, table: list[str] | None, shards: list[str] | None, update: bool,
    key: list[str] | None,
) -> None:  # fmt: skip
    if all_tables + bool(table) + bool(shards) != 1:
        raise UserError(
            "choose the tables: --all, --table DATABASE[.SCHEMA].TABLE, or --shards NAME=PATTERN"
        )
    if update and key:
        raise UserError(
            "--update only adds columns, and takes no --key: leave --update out, or write the key"
            " into the model"
        )


def _session(target: str) -> SqlSession:
    if target == settings.CLUSTER:
        return ThriftSession()
    check_lake(target)
    return spark_session("changelake onboard", target, hive=True)


def _seen(lake: SqlSession, feed: str | None) -> list[SourceTable]:
    # All tables; raises if a feed has none because its messages were rejected.
    if not lake.catalog.tableExists("silver.source_columns"):
        raise UserError("nothing has been built yet: run scripts/run.py, or dbt build, first")
    seen = seen_tables(lake)
    if not any(feed in (None, one.feed) for one in seen):
        check_rejects(lake, feed)
    return seen


def _all(
    seen: list[SourceTable], feed: str | None, keys: dict[str, list[str]]
) -> tuple[list[SourceTable], dict[str, list[str]], list[str]]:
    # The tables of a feed that `--all` can write, the keys given for them, and why others cannot be
    # written.
    of_feed = [one for one in seen if feed in (None, one.feed)]
    if not of_feed:
        # choose_tables() reports a feed without tables
        return seen, keys, []
    tables = without_shards(of_feed)
    if len(tables) < len(of_feed):
        left_out = counted(len(of_feed) - len(tables), "table")
        say(f"left out  {left_out} that a model has as its shards")
    return without_clashes(tables, keys)


def _take_schema(schema: Path | None, known: list[SchemaTable], tables: list[SourceTable]) -> None:
    take_schema([one for one in tables if not one.known], known)
    if schema and not any(one.known for one in tables):
        raise UserError(
            in_line(
                f"--schema {schema} has none of the tables to write: it has"
                f" {', '.join(one.whole_name for one in known)}"
            )
        )


def _look_at(lake: SqlSession, tables: list[SourceTable]) -> None:
    # Shards were looked at before they were joined.
    others = [one for one in tables if not one.shards]
    look_at_values(lake, others)
    look_at_alters(lake, others)


class _Writing:
    # Writes models, and reports the outcome for each file; with --all, only for changed files.

    def __init__(self, update: bool, history: bool, all_tables: bool) -> None:
        self._update, self._history, self._all_tables = update, history, all_tables
        self._unchanged = 0
        self._new: list[str] = []
        self._grown: list[str] = []

    def write(self, table: SourceTable, remarks: list[str]) -> None:
        is_new = not has_model(table)
        written = add_columns(table) if self._update else write_table(table)
        remarks = [*remarks, *written.remarks]
        self._print(written.files, table.name, is_remarked=bool(remarks))
        for remark in remarks:
            say(in_line(f"          {remark}"))
        if is_new:
            self._new.append(table.relation)
        elif "updated" in written.files.values():
            self._grown.append(table.relation)
        if self._history:
            self._print(write_history(table))

    def conclude(self, target: str) -> None:
        if self._unchanged:
            say(f"{'unchanged':9} {counted(self._unchanged, 'file')}")
        # a rewritten model has its command in a remark
        command = "scripts/run.py" + (f" --target {target}" if target != "local" else "")
        if self._grown:
            say(f"{'next':9} {command} --select {' '.join(self._new + self._grown)}")
        elif self._new:
            say(f"{'next':9} {command}")

    def _print(self, files: dict[Path, str], table: str = "", is_remarked: bool = False) -> None:
        for file, outcome in files.items():
            is_model = bool(table) and file.suffix == ".sql"
            if self._all_tables and outcome == "unchanged" and not (is_model and is_remarked):
                self._unchanged += 1
                continue
            shown = f"{outcome:9} {file.relative_to(settings.REPO)}"
            say(in_line(f"{shown}  ({table})" if is_model else shown))


def _without_key(tables: list[SourceTable]) -> list[str]:
    # Remarks on tables whose key is unknown.
    return [
        f"{one.name}: its key is not known, give --key {shlex.quote(f'{one.name}=COLUMN,…')}"
        f" (or --key {shlex.quote(f'{one.name}=')} if it has none)"
        for one in tables
        if one.key is None
    ]


def _conclude(skipped: list[str]) -> None:
    for reason in skipped:
        say(in_line(f"{'skipped':9} {reason}"))
    if skipped:
        raise UserError(f"{counted(len(skipped), 'table')} not written, see above")


@app.command()
@one_line_errors
def main(
    all_tables: Annotated[
        bool, typer.Option("--all", help="All tables seen in the events.")
    ] = False,
    table: Annotated[
        list[str] | None, typer.Option(help="DATABASE[.SCHEMA].TABLE. Can be repeated.")
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="TABLE=COLUMN,… where the dialect does not name the key. Can be repeated."
        ),
    ] = None,
    shards: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=PATTERN: tables whose whole DATABASE[.SCHEMA].TABLE matches, as one table."
            " Can be repeated."
        ),
    ] = None,
    feed: Annotated[str | None, typer.Option(help="The feed to take the tables from.")] = None,
    schema: Annotated[
        Path | None,
        typer.Option(
            help="The source's own `create table` statements, or a CSV of its catalog: the tables'"
            " types, keys and comments as they are there."
        ),
    ] = None,
    update: Annotated[
        bool,
        typer.Option(help="Add new columns to models that are there, also to edited ones."),
    ] = False,
    history: Annotated[
        bool, typer.Option(help="Also write models of the tables' histories.")
    ] = True,
    target: Annotated[str, typer.Option(help="local, sample or cluster.")] = "local",
) -> None:
    """Write models/current/<relation>.sql and .yml and models/history/<relation>__history.sql.

    Files that a person has changed are left as they are.
    """
    settings.check_target(target)
    _check_options(all_tables, table, shards, update, key)
    keys = keys_of(key or [])
    lake = _session(target)
    seen = _seen(lake, feed)
    known = read_schema(schema, {one.family for one in seen}) if schema else []
    skipped: list[str] = []
    if shards:
        seen = [seen_shards(lake, seen, text, feed, keys, known) for text in shards]
    if all_tables:
        seen, keys, skipped = _all(seen, feed, keys)
        if not seen:
            return
    tables = choose_tables(seen, table or [], feed, keys)
    remarks = {
        one.relation: keep_key(one) for one in tables if keys.keys().isdisjoint(one.spellings)
    }
    _take_schema(schema, known, tables)
    keyed = [one for one in tables if one.key is not None]
    _look_at(lake, keyed)
    writing = _Writing(update, history, all_tables)
    for one in keyed:
        try:
            writing.write(one, remarks.get(one.relation, []))
        except UserError as error:
            if not all_tables:
                raise
            skipped.append(str(error))
    writing.conclude(target)
    _conclude(skipped + _without_key(tables))


if __name__ == "__main__":
    app()
