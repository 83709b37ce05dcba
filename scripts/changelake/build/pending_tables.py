"""Which tables have events that they have not seen."""

from collections.abc import Mapping, Set

from changelake.build.declared_tables import DeclaredTable, is_of_table
from changelake.build.states import state_tables
from changelake.spark.sql_session import Lake


def pending_tables(
    lake: Lake, tables: Mapping[str, DeclaredTable], built: Mapping[str, int], known: Set[str]
) -> tuple[list[str], dict[str, int]]:
    """Return the tables that have events since they were last built, or were never built.

    With them, by table of events, the last batch of these events.

    Args:
        lake: takes statements.
        tables: what each model declares, see declared_tables().
        built: by table of events, the last batch that all its tables have seen.
        known: the tables that were there then; what others have seen is not known.
    """
    names = sorted({table["events"] for table in tables.values()})
    if not names:
        return [], {}
    existing = state_tables(lake)
    # no model: each run has batches of its own, and dbt takes seconds to compile what holds them
    rows = lake.sql(
        " union all ".join(
            f"select '{name}', max(parse_batch), feed, database_name, schema_name, table_name"
            f" from silver.{name}"
            f" where outcome = 'events' and parse_batch > {built.get(name, 0)} group by all"
            for name in names
        )
    ).collect()
    batches: dict[str, int] = {}
    for events, batch, *_ in rows:
        batches[events] = max(batch, batches.get(events, 0))
    seen = {tuple(place) for _, _, *place in rows}
    pending = sorted(
        name
        for name, table in tables.items()
        if name not in known
        or table["state"] not in existing
        or any(is_of_table(table, *place) for place in seen)
    )
    return pending, batches
