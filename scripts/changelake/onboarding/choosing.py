"""Which of the tables that the events show get models, and their keys."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.found_models import MODELS, has_model, shards_of_models
from changelake.onboarding.tables import SourceTable


def keys_of(texts: list[str]) -> dict[str, list[str]]:
    """Return the columns of keys, by the names of tables, as `--key` gives them.

    Args:
        texts: TABLE=COLUMN,… of each, and TABLE= of a table without a key.

    Raises:
        UserError: one is written differently.
    """
    keys: dict[str, list[str]] = {}
    for text in texts:
        name, sign, columns = text.partition("=")
        if not sign or not name:
            raise UserError(f"--key {text}: write TABLE=COLUMN,… or, without a key, TABLE=")
        # a name with a comma is in double quotes
        try:
            keys[name] = [column for row in csv.reader([columns]) for column in row if column]
        except csv.Error as error:
            raise UserError(f"--key {in_line(text)}: {error}") from None
    return keys


def choose_tables(
    tables: list[SourceTable], names: list[str], feed: str | None, keys: dict[str, list[str]]
) -> list[SourceTable]:
    """Return the tables to write, each of one feed and with its key.

    Args:
        tables: all that the events show.
        names: DATABASE[.SCHEMA].TABLE of the wanted ones; empty: all.
        feed: the feed that decides where a table is seen in several.
        keys: by table's name, relation or bare name: the key's columns.

    Raises:
        UserError: a table that is not there, is seen in several feeds or has no known key, a key's
            column that it does not have, or two tables of one relation name.
    """
    if feed:
        tables = _of_feed(tables, feed)
    if names:
        tables = _named(tables, names)
    if not tables:
        raise UserError("no table has been seen in the events yet: land and build first")
    for reason in clashes(tables).values():
        raise UserError(in_line(reason))
    _give_keys(tables, keys)
    return tables


def _of_feed(tables: list[SourceTable], feed: str) -> list[SourceTable]:
    chosen = [table for table in tables if table.feed == feed]
    if not chosen:
        shown = ", ".join(sorted({table.feed for table in tables})) or "none"
        raise UserError(
            f"feed {feed!r} has shown no table yet: land and build first, or choose one that"
            f" has ({shown})"
        )
    return chosen


def _named(tables: list[SourceTable], names: list[str]) -> list[SourceTable]:
    # The tables of these names; a relation's name counts if no table is called that.
    known = {spelled for table in tables for spelled in (table.name, table.relation)}
    if missing := [name for name in names if name not in known]:
        shown = in_line(", ".join(sorted({table.name for table in tables}) or ["none"]))
        raise UserError(f"no events of table {missing[0]!r}: the tables seen are {shown}")
    exact = {table.name for table in tables}
    return [
        table for table in tables if table.name in names or table.relation in set(names) - exact
    ]


def _give_keys(tables: list[SourceTable], keys: dict[str, list[str]]) -> None:
    # Give each table the key that a person gave for it, and check that its columns exist.
    used: set[str] = set()
    for table in tables:
        for spelled in table.spellings:
            if spelled in keys:
                used.add(spelled)
                table.key = table.key_of(keys[spelled])
                break
        columns = [column.name for column in table.columns]
        if unknown := [column for column in table.key or [] if column not in columns]:
            raise UserError(
                f"{in_line(table.name)} has no column {unknown[0]!r} for its key:"
                f" it has {in_line(', '.join(columns))}"
            )
    if unused := sorted(set(keys) - used):
        raise UserError(
            f"--key names {unused[0]!r}, which is none of the tables to write:"
            f" {in_line(', '.join(sorted(table.name for table in tables)))}"
        )


def clashes(tables: Iterable[SourceTable]) -> dict[str, str]:
    """Return, by the name of a relation, why it cannot be used: several tables would get it."""
    by_relation: dict[str, list[SourceTable]] = {}
    for table in tables:
        by_relation.setdefault(table.relation, []).append(table)
    return {
        relation: (
            f"{min(names)} is seen in the feeds {' and '.join(sorted(t.feed for t in those))}:"
            " choose one with --table and --feed"
            if len(names) == 1
            else f"{' and '.join(sorted(names))} would both be current.{relation}: write one of"
            f" them with --table, rename its model (the files, and `name` in {relation}.yml), then"
            " write the other"
        )
        for relation, those in by_relation.items()
        if len(those) > 1 and (names := {_full_name(table) for table in those})
    }


def _full_name(table: SourceTable) -> str:
    # Tells a table without a database from one with the same name.
    return table.name if table.database or table.schema else f"{table.name} (without a database)"


def without_shards(tables: list[SourceTable], directory: Path = MODELS) -> list[SourceTable]:
    """Leave out the tables that a model declares as its shards, unless they have their own models.

    Args:
        tables: some of those that the events show.
        directory: the folder of current models.
    """
    models = shards_of_models(directory)

    def is_shard(one: SourceTable) -> bool:
        return any(
            one.feed in feeds and re.fullmatch(pattern, one.name) for feeds, pattern in models
        ) and not has_model(one, directory)

    return [one for one in tables if not is_shard(one)]


def without_clashes(
    tables: list[SourceTable], keys: dict[str, list[str]]
) -> tuple[list[SourceTable], dict[str, list[str]], list[str]]:
    """Leave out tables that would share one relation.

    A single stray message must not stop all other tables from being written.

    Args:
        tables: the tables to write.
        keys: the columns of keys by the names of tables.

    Returns:
        The other tables, their keys, and why the rest is left out. If none would remain, all of
        them: choose_tables() then reports the clash.
    """
    clashing = clashes(tables)
    others = [one for one in tables if one.relation not in clashing]
    if tables and not others:
        return tables, keys, []
    left_out = {name for one in tables if one.relation in clashing for name in one.spellings}
    kept = {name: columns for name, columns in keys.items() if name not in left_out}
    return others, kept, list(clashing.values())
