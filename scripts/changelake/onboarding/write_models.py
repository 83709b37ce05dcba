"""From the tables that the events show to their models: what scripts/onboard.py does."""

import shlex
from pathlib import Path

from changelake.core.errors import UserError
from changelake.core.terminal import in_line, say
from changelake.core.words import counted
from changelake.onboarding.choosing import choose_tables, without_clashes, without_shards
from changelake.onboarding.kept_declarations import keep_key
from changelake.onboarding.model_writer import ModelWriter
from changelake.onboarding.options import Options
from changelake.onboarding.schema_files import read_schema
from changelake.onboarding.schema_matching import take_schema
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.seen import check_rejects, look_at_alters, look_at_values, seen_tables
from changelake.onboarding.shards import seen_shards
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import SqlSession


def write_models(lake: SqlSession, options: Options) -> None:
    """Write the current and history models of tables, and report the outcome.

    Args:
        lake: takes statements.
        options: which tables, and how.

    Raises:
        UserError: a table cannot be written; with --all, only once the others are.
    """
    feed, schema, keys = options.feed, options.schema, options.keys
    seen = _seen(lake, feed)
    known = read_schema(schema, {one.family for one in seen}) if schema else []
    skipped: list[str] = []
    if options.shards:
        seen = [seen_shards(lake, seen, text, feed, keys, known) for text in options.shards]
    if options.all_tables:
        seen, keys, skipped = _all(seen, feed, keys)
        if not seen:
            return
    tables = choose_tables(seen, options.tables, feed, keys)
    remarks = {
        one.relation: keep_key(one) for one in tables if keys.keys().isdisjoint(one.spellings)
    }
    _take_schema(schema, known, tables)
    keyed = [one for one in tables if one.key is not None]
    _look_at(lake, keyed)
    writer = ModelWriter(options)
    for one in keyed:
        try:
            writer.write(one, remarks.get(one.relation, []))
        except UserError as error:
            if not options.all_tables:
                raise
            skipped.append(str(error))
    writer.conclude()
    _conclude(skipped + _without_key(tables))


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
