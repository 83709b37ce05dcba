"""The families of databases whose SQL is read, and how they fold names."""

from changelake.core.errors import UserError
from changelake.onboarding.source_types import database_family

# By family of databases, what sqlglot calls its SQL.
DIALECTS = {
    "mysql": "mysql",
    "postgresql": "postgres",
    "oracle": "oracle",
    "sqlserver": "tsql",
    "gaussdb": "postgres",
}


def folded(name: str, family: str) -> str:
    """Return an unquoted name as the database stores it.

    Args:
        name: the name.
        family: of databases.
    """
    cases = {"postgresql": str.lower, "gaussdb": str.lower, "oracle": str.upper}
    return cases.get(family, str)(name)


def family_in_file(place: str, source_type: str) -> str:
    """Return the family of databases that a schema file names.

    Args:
        place: the file, and perhaps its line, for errors.
        source_type: the database, as the file says it.

    Raises:
        UserError: its SQL cannot be read.
    """
    family = database_family(source_type.lower())
    if family not in DIALECTS:
        raise UserError(
            f"{place}: unknown source_type {source_type!r}: use one of {', '.join(DIALECTS)}"
        )
    return family
