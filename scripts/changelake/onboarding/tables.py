"""The tables that the events show."""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from changelake.core.macros import format_traits
from changelake.onboarding.compatible import is_exceeded
from changelake.onboarding.ddl import TableDdl, columns_of_several_names
from changelake.onboarding.declarations import Declaration, declare, declare_known
from changelake.onboarding.names import shortened
from changelake.onboarding.schema_tables import SchemaColumn, SchemaTable
from changelake.onboarding.source_types import dialects_of, family_of
from changelake.onboarding.table_events import Alter
from changelake.onboarding.values import Values

# Enough for any database: three of PostgreSQL's names of 63 characters. It leaves room for
# `__history` and a suffix: file systems allow 255 bytes, Hive's catalog 256 characters.
MAX_RELATION_LENGTH = 200
# Spark reads unquoted names like these as numbers.
_NUMBER = re.compile(r"[0-9]+(e[0-9]+)?(l|s|y|f|d|bd)?")
# Not a type name of any source.
SHARD_TYPE = "<shard>"


@dataclass
class SourceColumn:
    """A column of a source table, with its newest type and what its values look like.

    Attributes:
        known: its definition in a schema file.
        first_batch: the first batch that had it.
        is_dropped: the newest complete rows lack it.
        has_changed: its type has changed, or differs between shards.
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
        key: None if the dialect does not name it.
        shards: the pattern of names of the tables that this one joins.
        shard: the column that holds these names.
        hidden: a column of the shards with the name of that column, which hides it.
        known: its definition in a schema file.
        alters: the statements that have altered it, in order, per shard; see look_at_alters().
        apart: sets of names that one row has had at once, and so belong to different columns.
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
        return shortened(name, MAX_RELATION_LENGTH, whole="\0".join(parts))

    @property
    def spellings(self) -> tuple[str, str, str]:
        """Return what `--key` can call it: its whole name, its relation, its bare name."""
        return self.name, self.relation, self.table

    @property
    def dialects(self) -> list[str]:
        """Return the dialects that its types can be in, first the one that is assumed."""
        return dialects_of(self.format, self._types())

    @property
    def tells_encodings(self) -> bool:
        """Say whether each message tells how its values are encoded, see other_encodings()."""
        return format_traits(self.format)["encodings"] is not None

    @property
    def family(self) -> str:
        """Return the family of its database."""
        return family_of(self.format, self.source_type, self._types())

    @property
    def renamed(self) -> dict[str, list[str]]:
        """Return the columns that DDL has renamed, see columns_of_several_names()."""
        found = columns_of_several_names(self._ddl())
        return {
            first: later
            for first, later in found.items()
            if all(len(names.intersection((first, *later))) < 2 for names in self.apart)
        }

    @property
    def reused(self) -> set[str]:
        """Return the columns with names that other columns had before."""
        columns = {one.name for one in self.columns}
        return columns.intersection(
            name for ddl in self._ddl() for names in ddl.reused for name in names
        )

    def _ddl(self) -> list[TableDdl]:
        # that of each shard
        family, columns = self.family, [one.name for one in self.columns]
        return [TableDdl([one.ddl for one in alters], family, columns) for alters in self.alters]

    def _types(self) -> list[str]:
        return [column.type_text for column in self.columns if column.type_text]

    def key_of(self, columns: list[str]) -> list[str]:
        """Return a key of these columns, with the shard first: shards number rows independently."""
        if not columns or not self.shard or self.shard in columns:
            return columns
        return [self.shard, *columns]

    def declaration(self, column: SourceColumn, dialect: str = "") -> Declaration:
        """Return how a column is declared: by its type, and by its values if that is not enough.

        Args:
            column: one of its columns.
            dialect: the dialect of its type; by default the first of `dialects`.
        """
        if column.type_text == SHARD_TYPE:
            return Declaration("string")
        dialect = dialect or self.dialects[0]
        known = self._known_declaration(column, dialect)
        if known and not self._exceeds(column, known):
            return known
        is_key = column.name in (self.key or ())
        return declare(dialect, self.family, column.type_text, column.values, is_key)

    def told_declaration(self, column: SourceColumn) -> Declaration:
        """Return how a column is declared by its type alone, whatever its values look like."""
        return self.declaration(replace(column, values=Values()))

    def disagreement(self, column: SourceColumn) -> str:
        """Return how messages and schema file differ for a column; empty if they agree."""
        known = self._known_declaration(column, self.dialects[0])
        if column.known is None or known is None or not self._exceeds(column, known):
            return ""
        said = (
            f"the type {column.type_text}" if column.type_text else "values that this does not hold"
        )
        return f"{column.name}: {column.known.type_text} in the schema file, {said} in the messages"

    def _known_declaration(self, column: SourceColumn, dialect: str) -> Declaration | None:
        # A computed column may have no type in a schema file.
        if self.known is None or column.known is None or not column.known.type_text:
            return None
        return declare_known(
            dialect, self.family, column.type_text,
            self.known.family, column.known.type_text, column.values,
        )  # fmt: skip

    def _exceeds(self, column: SourceColumn, known: Declaration) -> bool:
        family = self.known.family if self.known else ""
        return is_exceeded(known, self.format, column.type_text, family, column.values)


def key_text(names: Iterable[str]) -> str:
    """Return the columns of a key as `--key` takes them.

    >>> key_text(["id", "a,b"])
    'id,"a,b"'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()
