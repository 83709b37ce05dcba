"""What builds and onboarding ask of a lake: of an embedded session, or of a Thrift server's."""

from typing import Any, Protocol


class Rows(Protocol):
    """The rows of a statement."""

    def collect(self) -> list[Any]:
        """Return them, with their columns by name and by place."""
        ...


class SqlSession(Protocol):
    """Takes statements: a SparkSession, or a ThriftSession."""

    @property
    def catalog(self) -> Any:
        """What there is: databaseExists and tableExists; a server's has relations too."""
        ...

    def sql(self, statement: str, /) -> Rows:
        """Run a statement."""
        ...
