"""Several tables, selected by a pattern, that share one model."""

import re
from collections.abc import Iterable
from dataclasses import replace

from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.compatible import wider
from changelake.onboarding.found_models import MODELS, model_file
from changelake.onboarding.model_columns import declared
from changelake.onboarding.schema_matching import take_schema
from changelake.onboarding.schema_tables import SchemaTable
from changelake.onboarding.seen import look_at_alters, look_at_values
from changelake.onboarding.tables import SHARD_TYPE, SourceColumn, SourceTable
from changelake.spark.sql_session import SqlSession


def seen_shards(
    lake: SqlSession,
    seen: list[SourceTable],
    text: str,
    feed: str | None,
    keys: Iterable[str],
    schema: list[SchemaTable],
) -> SourceTable:
    """Return the tables that `--shards` names as one, with values and statements filled in.

    Args:
        lake: takes statements.
        seen: all tables that the events show.
        text: NAME=PATTERN, see join_shards().
        feed: the feed that decides where tables are seen in several.
        keys: the tables whose key a person gives.
        schema: what a schema file says of tables.

    Raises:
        UserError: the text is written differently, or see choose_shards() and join_shards().
    """
    name, sign, pattern = text.partition("=")
    if not sign or not name or not pattern:
        raise UserError(f"--shards {text}: write NAME=PATTERN")
    chosen = choose_shards(seen, pattern, feed)
    take_schema(chosen, schema, are_shards=True)
    look_at_values(lake, chosen)
    look_at_alters(lake, chosen)
    relation = replace(chosen[0], table=name, shards=pattern).relation
    shard = declared(model_file(MODELS, relation)).get("shard", "")
    return join_shards(chosen, name, pattern, keys, shard)


def choose_shards(tables: list[SourceTable], pattern: str, feed: str | None) -> list[SourceTable]:
    """Return the tables that a pattern names.

    Args:
        tables: all that the events show.
        pattern: a regular expression that all of DATABASE[.SCHEMA].TABLE has to match.
        feed: the feed that decides where tables are seen in several.

    Raises:
        UserError: a broken pattern, one that no table matches, or tables of several feeds.
    """
    try:
        chosen = [
            table
            for table in tables
            if feed in (None, table.feed) and re.fullmatch(pattern, table.name)
        ]
    except re.error as error:
        raise UserError(f"--shards …={pattern}: not a regular expression: {error}") from None
    if not chosen:
        raise UserError(f"--shards …={pattern}: no table seen in the events matches")
    if len(feeds := sorted({table.feed for table in chosen})) > 1:
        raise UserError(
            f"--shards …={pattern}: seen in the feeds {' and '.join(feeds)}: choose one with --feed"
        )
    return chosen


def join_shards(
    chosen: list[SourceTable],
    name: str,
    pattern: str,
    keys: Iterable[str] = (),
    shard: str = "",
) -> SourceTable:
    """Return several tables as one, with an extra column that names the shard of a row.

    That column comes first in the key.

    Args:
        chosen: the shards, their values looked at.
        name: the name of the whole, from which its relation is made.
        pattern: see choose_shards().
        keys: the tables whose key a person gives.
        shard: the column that names the shard, if there is a model already.

    Raises:
        UserError: the shards have different keys, and none is given.
    """
    columns: dict[str, SourceColumn] = {}
    for part, column in ((table, column) for table in chosen for column in table.columns):
        known = columns.setdefault(column.name, column)
        if known is not column:
            declared = part.declaration(known).text
            is_wider = bool(wider(part.declaration(column), declared, part.tells_encodings))
            columns[column.name] = replace(
                column if is_wider else known,
                values=known.values.with_those(column.values),
                first_batch=min(known.first_batch, column.first_batch),
                is_dropped=known.is_dropped and column.is_dropped,
                has_changed=known.has_changed
                or column.has_changed
                or known.type_text != column.type_text,
            )
    # the column of an existing model keeps its name: its key and its readers depend on it
    hidden = shard if columns.pop(shard, None) else ""
    shard = shard or "shard"
    while shard.lower() in {column.lower() for column in columns}:
        shard = f"_{shard}"
    one = SourceTable(
        chosen[0].feed, chosen[0].format, chosen[0].source_type, None, None, name,
        [SourceColumn(shard, SHARD_TYPE, True), *columns.values()], None, pattern, shard, hidden,
    )  # fmt: skip
    if set(one.spellings).isdisjoint(keys):
        one.key = _key_of_all(chosen, name, pattern)
    if one.key is not None:
        one.key = one.key_of(one.key)
    one.alters = [alters for table in chosen for alters in table.alters]
    one.apart = [names for table in chosen for names in table.apart]
    one.known = next((table.known for table in chosen if table.known), None)
    return one


def _key_of_all(shards: list[SourceTable], name: str, pattern: str) -> list[str] | None:
    known = {frozenset(table.key): table for table in shards if table.key is not None}
    if len(known) > 1:
        one, other, *_ = known.values()
        raise UserError(
            f"--shards {name}={pattern}: {_with_key(one)}, but {_with_key(other)}:"
            f" narrow the pattern, or give the key of all with --key {name}=COLUMN,…"
        )
    return next((table.key for table in known.values()), None)


def _with_key(table: SourceTable) -> str:
    key = f"the key {', '.join(table.key)}" if table.key else "no key"
    return in_line(f"{table.name} has {key}")
