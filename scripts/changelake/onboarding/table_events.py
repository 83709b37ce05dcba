"""The events of source tables: the last batch, and the statements that altered the tables."""

import json
from collections.abc import Mapping, Set
from typing import NamedTuple

from changelake.core.macros import macro_sql
from changelake.core.quoting import sql_name, sql_string
from changelake.spark.sql_session import SqlSession


class Alter(NamedTuple):
    """A statement that has altered a table, with its place in Kafka.

    Attributes:
        moment: its position in the source's log, or its time; None if no message tells.
    """

    topic: str
    partition: int
    offset: int
    row_index: int
    ddl: str
    batch: int
    moment: str | None


class TableEvents(NamedTuple):
    """The events of a source table.

    Attributes:
        events: the model of events that has them.
        feed, database, schema, table: the source table.
        batch: the last batch of them.
        alters: the statements among them that have altered the table.
    """

    events: str
    feed: str
    database: str | None
    schema: str | None
    table: str | None
    batch: int
    alters: list[Alter]

    @property
    def place(self) -> tuple[str, str | None, str | None, str | None]:
        """Return the source table: its feed, database, schema and own name."""
        return self.feed, self.database, self.schema, self.table

    @property
    def statements(self) -> list[Alter]:
        """Return what has altered the table, in the order of each partition.

        If a statement was sent again, as producers do when they restart, the first one counts.
        """
        first: dict[object, Alter] = {}
        for one in sorted(self.alters, key=lambda one: one[:4]):
            first.setdefault((one.moment, one.ddl) if one.moment else one, one)
        return list(first.values())


def new_events(lake: SqlSession, names: Set[str], since: Mapping[str, int]) -> list[TableEvents]:
    """Return the events that have come since tables were last built, by source table.

    Args:
        lake: takes statements.
        names: of the tables of events.
        since: by table of events the last batch that is known.
    """
    return table_events(lake, {one: f"parse_batch > {since.get(one, 0)}" for one in names})


def table_events(lake: SqlSession, conditions: Mapping[str, str]) -> list[TableEvents]:
    """Return events by source table.

    Args:
        lake: takes statements.
        conditions: by table of events, which of its events.
    """
    # not a dbt model, since each run has batches of its own, and dbt takes seconds to compile one
    selects = [
        f"select {sql_string(events)}, *"
        f" from ({macro_sql('onboarding', 'events_by_table', f'silver.{sql_name(events)}', one)})"
        for events, one in sorted(conditions.items())
    ]
    rows = lake.sql(" union all ".join(selects)).collect() if selects else []
    return [
        TableEvents(*row[:-1], alters=[Alter(*one.values()) for one in json.loads(row.alters)])
        for row in rows
    ]
