"""Which tables have events that they have not merged."""

from collections.abc import Iterable, Mapping, Set

from changelake.build.declared_tables import DeclaredTable, is_of_table
from changelake.build.states import state_tables
from changelake.onboarding.table_events import TableEvents
from changelake.spark.sql_session import SqlSession


def pending_tables(
    lake: SqlSession,
    tables: Mapping[str, DeclaredTable],
    events: Iterable[TableEvents],
    known: Set[str],
) -> list[str]:
    """Return the tables that have events since they were last built, or were never built.

    Args:
        lake: takes statements.
        tables: what each model declares, see declared_tables().
        events: the events since then.
        known: the tables that existed then; it is unknown what others have seen.
    """
    existing = state_tables(lake)
    return sorted(
        name
        for name, table in tables.items()
        if name not in known
        # Spark lists names in lower case
        or table["state"].lower() not in existing
        or any(is_of_table(table, *one.place) for one in events)
    )
