"""What a database itself declares of its tables."""

from dataclasses import dataclass, field


@dataclass
class SchemaColumn:
    """A column as the database itself declares it, with its type in full."""

    name: str
    type_text: str
    comment: str = ""


@dataclass
class SchemaTable:
    """A table as the database itself declares it.

    Attributes:
        family: the database's, whose types the columns have.
        qualifiers: what stands before its name: a database, a schema, both or nothing.
        key: the names of its primary key's columns; empty where it has none.
    """

    family: str
    qualifiers: tuple[str, ...]
    name: str
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    key: list[str] = field(default_factory=list[str])
    comment: str = ""

    @property
    def whole_name(self) -> str:
        """Return its name with what stands before it."""
        return ".".join([*self.qualifiers, self.name])

    @property
    def key_columns(self) -> list[SchemaColumn]:
        """Return the columns of its key."""
        return [column for name in self.key if (column := self.column(name))]

    def column(self, name: str) -> SchemaColumn | None:
        """Return the column of this name; of another case where that tells it too."""
        return _one(self.columns, name)


def _one(columns: list[SchemaColumn], name: str) -> SchemaColumn | None:
    exact = [one for one in columns if one.name == name]
    found = exact or [one for one in columns if one.name.lower() == name.lower()]
    return found[0] if len(found) == 1 else None
