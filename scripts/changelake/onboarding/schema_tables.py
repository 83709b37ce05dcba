"""Tables as the database itself declares them."""

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
        family: the family of the database, which the types are in.
        qualifiers: what precedes its name: a database, a schema, both or nothing.
        key: the columns of its primary key; empty if it has none.
    """

    family: str
    qualifiers: tuple[str, ...]
    name: str
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    key: list[str] = field(default_factory=list[str])
    comment: str = ""

    @property
    def whole_name(self) -> str:
        """Return its name with its qualifiers."""
        return ".".join([*self.qualifiers, self.name])

    @property
    def key_columns(self) -> list[SchemaColumn]:
        """Return the columns of its key."""
        return [column for name in self.key if (column := self.column(name))]

    def column(self, name: str) -> SchemaColumn | None:
        """Return the column of this name; in another case if that is unambiguous."""
        return _one(self.columns, name)


def _one(columns: list[SchemaColumn], name: str) -> SchemaColumn | None:
    exact = [one for one in columns if one.name == name]
    found = exact or [one for one in columns if one.name.lower() == name.lower()]
    return found[0] if len(found) == 1 else None
