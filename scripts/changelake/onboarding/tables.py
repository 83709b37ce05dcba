"""The tables that the events show, and which of them get models."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from changelake.core.errors import UserError
from changelake.core.macros import format_traits
from changelake.core.terminal import in_line
from changelake.onboarding.ddl import columns_of_several_names, reused_names
from changelake.onboarding.declarations import (
    Declaration,
    declare,
    declare_known,
    is_exceeded,
    wider,
)
from changelake.onboarding.schema_tables import SchemaColumn, SchemaTable
from changelake.onboarding.source_types import dialects_of, family_of
from changelake.onboarding.table_events import Alter
from changelake.onboarding.values import Values

# What databases call their tables fits: PostgreSQL's names of 63 characters thrice. Behind it there
# is room for `__history` and a suffix: file systems take 255 bytes, Hive's catalog 256 characters.
LONGEST_RELATION = 200
# Spark reads these as numbers where no quotes stand around a name.
_NUMBER = re.compile(r"[0-9]+(e[0-9]+)?(l|s|y|f|d|bd)?")
# What no source calls a type.
SHARD_TYPE = "<shard>"


@dataclass
class SourceColumn:
    """A column of a source table, with its newest type and what its values look like.

    Attributes:
        known: what a schema file says of it.
        first_batch: the first parsing run that saw it.
        is_dropped: the newest whole rows lack it.
        has_changed: its type has been another one; of shards, or is so in one of them.
    """

    name: str
    type_text: str | None
    is_key: bool
    values: Values = field(default_factory=Values)
    known: SchemaColumn | None = None
    first_batch: int = 0
    is_dropped: bool = False
    has_changed: bool = False


@dataclass
class SourceTable:
    """A source table as one feed shows it, or several that are declared as one.

    Attributes:
        key: None where the dialect names none.
        shards: a regular expression of the names of the tables that this one stands for.
        shard: the column that holds these names.
        hidden: a column of the shards that is called like that one, and so has no place.
        known: what a schema file says of it.
        alters: what has altered it, of shards each, in order; where that was looked at.
        apart: names that one row has had, and so are none of one column.
    """

    feed: str
    format: str
    source_type: str
    database: str | None
    schema: str | None
    table: str
    columns: list[SourceColumn]
    key: list[str] | None
    shards: str = ""
    shard: str = ""
    hidden: str = ""
    known: SchemaTable | None = None
    alters: list[list[Alter]] = field(default_factory=list[list[Alter]])
    apart: list[set[str]] = field(default_factory=list[set[str]])

    @property
    def name(self) -> str:
        """Return DATABASE.SCHEMA.TABLE, empty parts left out."""
        return ".".join(part for part in (self.database, self.schema, self.table) if part)

    @property
    def place(self) -> tuple[str, str | None, str | None, str | None]:
        """Return its feed, database, schema and own name."""
        return self.feed, self.database, self.schema, self.table

    @property
    def relation(self) -> str:
        """Return the name of its current table."""
        parts = [part for part in (self.database, self.schema, self.table) if part]
        if self.shards:
            parts = self.table.split(".")
        name = "__".join(re.sub(r"[^a-z0-9_]", "_", part.lower()) for part in parts)
        if not name or _NUMBER.fullmatch(name):
            name = f"_{name}"
        return shortened(name, LONGEST_RELATION, whole="\0".join(parts))

    @property
    def spellings(self) -> tuple[str, str, str]:
        """Return what `--key` can call it: its whole name, its relation, its bare name."""
        return self.name, self.relation, self.table

    @property
    def dialects(self) -> list[str]:
        """Return the dialects that its types can be of, the one that they are read as first."""
        return dialects_of(self.format, self._types())

    @property
    def tells_encodings(self) -> bool:
        """Say whether each message tells how its values are encoded, see other_encodings()."""
        return format_traits(self.format)["encodings"] is not None

    @property
    def family(self) -> str:
        """Return the family of its database, whose types it has."""
        return family_of(self.format, self.source_type, self._types())

    @property
    def renamed(self) -> dict[str, list[str]]:
        """Return the columns that DDL has renamed, see columns_of_several_names()."""
        columns = [one.name for one in self.columns]
        found = columns_of_several_names(self._statements(), self.family, columns)
        return {
            first: later
            for first, later in found.items()
            if all(len(names.intersection((first, *later))) < 2 for names in self.apart)
        }

    @property
    def reused(self) -> set[str]:
        """Return the columns whose names another one has had."""
        columns = {one.name for one in self.columns}
        return columns.intersection(
            name
            for statements in self._statements()
            for name in reused_names(((one, True) for one in statements), self.family, columns)
        )

    def _statements(self) -> list[list[str]]:
        return [[one.ddl for one in alters] for alters in self.alters]

    def _types(self) -> list[str]:
        return [column.type_text for column in self.columns if column.type_text]

    def key_of(self, columns: list[str]) -> list[str]:
        """Return a key of these columns: shards number their rows each for itself."""
        if not columns or not self.shard or self.shard in columns:
            return columns
        return [self.shard, *columns]

    def declaration(self, column: SourceColumn, dialect: str = "") -> Declaration:
        """Return how a column is declared: by its type, and by its values where that is not enough.

        Args:
            column: one of its columns.
            dialect: whose types they are; by default the first of `dialects`.
        """
        if column.type_text == SHARD_TYPE:
            return Declaration("string")
        dialect = dialect or self.dialects[0]
        known = self._known_declaration(column, dialect)
        if known and not self._exceeds(column, known):
            return known
        return declare(dialect, self.family, column.type_text, column.values)

    def told_declaration(self, column: SourceColumn) -> Declaration:
        """Return how a column is declared by its type alone, whatever its values look like."""
        return self.declaration(replace(column, values=Values()))

    def disagreement(self, column: SourceColumn) -> str:
        """Return in what the messages and the schema file differ of a column; empty: in nothing."""
        known = self._known_declaration(column, self.dialects[0])
        if column.known is None or known is None or not self._exceeds(column, known):
            return ""
        said = (
            f"the type {column.type_text}" if column.type_text else "values that this does not hold"
        )
        return f"{column.name}: {column.known.type_text} in the schema file, {said} in the messages"

    def _known_declaration(self, column: SourceColumn, dialect: str) -> Declaration | None:
        # A computed column can have no type there.
        if self.known is None or column.known is None or not column.known.type_text:
            return None
        return declare_known(
            dialect, self.family, column.type_text,
            self.known.family, column.known.type_text, column.values,
        )  # fmt: skip

    def _exceeds(self, column: SourceColumn, known: Declaration) -> bool:
        family = self.known.family if self.known else ""
        return is_exceeded(known, self.format, column.type_text, family, column.values)


def shortened(name: str, length: int, whole: str = "") -> str:
    """Return a name of at most this many characters: a longer one ends with a hash of the whole.

    Args:
        name: the name as it would be.
        length: how many characters there is room for.
        whole: what the name stands for, where that tells more than the name.

    >>> shortened("a_long_name", 11)
    'a_long_name'
    >>> shortened("a_very_very_long_name", 20)
    'a_very__ed63c0a0cc02'
    """
    if len(name) <= length:
        return name
    digits = hashlib.sha256((whole or name).encode()).hexdigest()[:12]
    return f"{name[: length - len(digits) - 1]}_{digits}"


def key_text(names: Iterable[str]) -> str:
    """Return the columns of a key as `--key` takes them.

    >>> key_text(["id", "a,b"])
    'id,"a,b"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


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
        feeds = {table.feed for table in tables}
        tables = [table for table in tables if table.feed == feed]
        if not tables:
            shown = ", ".join(sorted(feeds)) or "none"
            raise UserError(
                f"feed {feed!r} has shown no table yet: land and build first, or choose one that"
                f" has ({shown})"
            )
    if names:
        known = {spelled for table in tables for spelled in (table.name, table.relation)}
        if missing := [name for name in names if name not in known]:
            shown = in_line(", ".join(sorted({table.name for table in tables}) or ["none"]))
            raise UserError(f"no events of table {missing[0]!r}: the tables seen are {shown}")
        exact = {table.name for table in tables}
        tables = [
            table for table in tables if table.name in names or table.relation in set(names) - exact
        ]
    if not tables:
        raise UserError("no table has been seen in the events yet: land and build first")
    for reason in clashes(tables).values():
        raise UserError(in_line(reason))
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
    return tables


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
        raise UserError(f"--shards …={pattern}: no regular expression: {error}") from None
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
    """Return several tables as one, with a column more that says which one a row is of.

    That column is the first of the key.

    Args:
        chosen: the shards, their values looked at.
        name: the name of the whole, from which its relation is made.
        pattern: see choose_shards().
        keys: the tables whose key a person gives.
        shard: the column that names the shard, where there is a model already.

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
    # a model's column keeps its name: its key, and what reads it, go by that
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


def clashes(tables: Iterable[SourceTable]) -> dict[str, str]:
    """Return by relation why it can be none: more than one of the tables would be it."""
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
    # A table without a database is told of another one by that.
    return table.name if table.database or table.schema else f"{table.name} (without a database)"
