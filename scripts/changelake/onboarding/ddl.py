"""What a source's DDL says of its columns."""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

import sqlglot
from sqlglot import exp

from changelake.onboarding.sql_families import DIALECTS, folded

# it writes the statements that it does not read to stderr, as they came in a message
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


def renamed_columns(statements: Iterable[str], family: str) -> dict[str, list[str]]:
    """Return the columns that a table's statements rename: by the first name the later ones.

    A statement that cannot be read renames nothing.

    Args:
        statements: of one table, in their order.
        family: of databases, whose SQL it is.

    Returns:
        The names that each column has had since, the newest first, since rows came under each.

    >>> renamed_columns(["alter table t rename column a to b, change b `C` int"], "mysql")
    {'a': ['C', 'b']}
    """
    names: dict[str, list[str]] = {}
    for old, new in (pair for one in statements for pair in _renames(one, family)):
        now = ((first, later) for first, later in names.items() if later[0] == old)
        first, later = next(now, (old, list[str]()))
        # nobody else has a name that is given, or dropped
        names = {
            other: [name for name in had if name != new]
            for other, had in names.items()
            if had[0] not in (old, new)
        }
        if new:
            names[first] = [new, *(name for name in later if name != new)]
    return {first: later for first, later in names.items() if later != [first]}


def altered_types(statements: Iterable[str], family: str) -> dict[str, str]:
    """Return the columns to which statements give a type, and the newest of these.

    A statement that cannot be read gives none.

    Args:
        statements: of one table, in their order.
        family: of databases, whose SQL it is.

    >>> altered_types(["alter table t modify a decimal(12, 4), add b int"], "mysql")
    {'a': 'DECIMAL(12, 4)'}
    >>> altered_types(['alter table t alter column a type varchar(9)'], "postgresql")
    {'a': 'VARCHAR(9)'}
    """
    types: dict[str, str] = {}
    for action in (one for statement in statements for one in _actions(statement, family)):
        if isinstance(action, exp.ModifyColumn):
            column, found = action.this.this, action.this.args.get("kind")
        elif isinstance(action, exp.AlterColumn):
            column, found = action.find(exp.Identifier), action.args.get("dtype")
        else:
            continue
        if column and found:
            types[_name(column, family)] = found.sql(DIALECTS.get(family, "mysql"))
    return types


def added_columns(statements: Iterable[str], family: str) -> set[str]:
    """Return the columns that statements add.

    A statement that cannot be read adds none.

    Args:
        statements: of one table.
        family: of databases, whose SQL it is.

    >>> sorted(added_columns(["alter table t rename column a to b, add a int"], "mysql"))
    ['a']
    """
    actions = (one for statement in statements for one in _actions(statement, family))
    return {
        _name(column.this, family)
        for action in actions
        if isinstance(action, (exp.ColumnDef, exp.Schema))
        for column in action.find_all(exp.ColumnDef)
    }


def _actions(statement: str, family: str) -> list[Any]:
    # What a statement does to a table.
    try:
        parsed = sqlglot.parse_one(statement, read=DIALECTS.get(family, "mysql"))
    except Exception:
        # whatever a source's statement makes the library stumble over, it ends no run
        return []
    return parsed.args.get("actions") or [] if isinstance(parsed, exp.Alter) else []


def _renames(statement: str, family: str) -> Iterator[tuple[str, str]]:
    # The old and the new name of each column; of one that is dropped no new one.
    for action in _actions(statement, family):
        if isinstance(action, exp.RenameColumn):
            yield _name(action.this.this, family), _name(action.args["to"].this, family)
        elif isinstance(action, exp.ModifyColumn) and (old := action.args.get("rename_from")):
            yield _name(old, family), _name(action.this.this, family)
        elif isinstance(action, exp.Drop):
            yield _name(action.find(exp.Identifier) or action.this, family), ""


def _name(identifier: exp.Identifier, family: str) -> str:
    return identifier.name if identifier.quoted else folded(identifier.name, family)
