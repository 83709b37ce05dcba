"""Which columns have values that their types do not hold, where these are guesses."""

from collections.abc import Mapping

from changelake.build.declared_tables import DeclaredTable
from changelake.core.quoting import sql_name, sql_string
from changelake.onboarding.following import guessed_columns
from changelake.onboarding.model_columns import declared_type
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import Lake


def outgrown_columns(
    lake: Lake,
    tables: Mapping[str, DeclaredTable],
    sources: Mapping[str, list[SourceTable]],
    since: Mapping[str, int],
    said: Mapping[str, Mapping[str, str]],
) -> dict[str, set[str]]:
    """Return by current model the declared columns that do not hold a value which has come.

    The states say so, of the rows and versions that a build has written; no value is read again.
    Of types that the messages tell in full nothing is asked, which would be a tenth of a second
    for each table.

    Args:
        lake: takes statements.
        tables: the tables that were built, current and history, by the model's name.
        sources: by current model the tables that it is made of.
        since: by model the last batch that is known; the state has later ones.
        said: by current model the columns that are known not to hold what comes, with their types:
            to look for the values of such a one again would be a scan of all events.
    """
    guessed = {
        meta["current"]: {
            name
            for source in sources.get(meta["current"], ())
            for name in guessed_columns(source, meta)
            if said.get(meta["current"], {}).get(name) != declared_type(meta["columns"][name])
        }
        for meta in tables.values()
    }
    # no model: it is asked between two builds, of the tables of this run
    selects = [
        f"select {sql_string(meta['current'])} as model,"
        " explode(map_keys(map_filter(_undecodable, (name, text) -> text is not null))) as name"
        f" from state.{sql_name(meta['state'])} where _batch > {since.get(model, 0)}"
        for model, meta in tables.items()
        if guessed[meta["current"]]
    ]
    found: dict[str, set[str]] = {}
    if selects:
        rows = lake.sql(f"select distinct model, name from ({' union all '.join(selects)})")
        for row in rows.collect():
            if row.name in guessed[row.model]:
                found.setdefault(row.model, set()).add(row.name)
    return found
