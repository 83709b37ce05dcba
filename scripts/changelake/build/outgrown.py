"""Which columns have values that their guessed types do not hold."""

from collections.abc import Mapping

from changelake.build.declared_tables import DeclaredTable
from changelake.core.quoting import sql_name, sql_string
from changelake.onboarding.differences import guessed_columns
from changelake.onboarding.model_columns import declared_type
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import SqlSession

# All texts of a column are known if it has no more distinct ones than these.
_MAX_TEXTS = 20


def outgrown_columns(
    lake: SqlSession,
    tables: Mapping[str, DeclaredTable],
    sources: Mapping[str, list[SourceTable]],
    since: Mapping[str, int],
    said: Mapping[str, Mapping[str, list[str]]],
) -> dict[str, dict[str, list[str]]]:
    """Return by current model the declared columns that have values which their types do not hold.

    The state tables tell, for the rows and versions that a build has written; no value is read
    again. Columns whose types the messages tell in full are not checked: that would take a tenth of
    a second per table. What was already asked or reported for the same texts is left out, since the
    next step looks at all values of a column.

    Args:
        lake: takes statements.
        tables: the tables that were built, current and history, by the model's name.
        sources: by current model the source tables that it is built from.
        since: by model the last batch that was checked.
        said: see Marks.outgrown().

    Returns:
        By column its type, followed by some of the texts that it does not hold.
    """
    guessed: dict[str, dict[str, list[str]]] = {}
    for meta in tables.values():
        known = said.get(meta["current"], {})
        for source in sources.get(meta["current"], ()):
            for name in guessed_columns(source, meta):
                one = known.get(name, [])
                type_text = declared_type(meta["columns"][name])
                if one != [type_text]:
                    is_same = one[:1] == [type_text]
                    guessed.setdefault(meta["current"], {})[name] = one if is_same else [type_text]
    # not a dbt model, since it runs between two builds, on the tables of this run
    selects = [
        f"select {sql_string(meta['current'])} as model,"
        " explode(map_filter(_undecodable, (name, text) -> text is not null)) as (name, text)"
        f" from state.{sql_name(meta['state'])} where _batch > {since.get(model, 0)}"
        for model, meta in tables.items()
        if meta["current"] in guessed
    ]
    found: dict[str, dict[str, list[str]]] = {}
    if selects:
        rows = lake.sql(
            f"select model, name, slice(array_sort(collect_set(left(text, 100))), 1, {_MAX_TEXTS})"
            f" as texts from ({' union all '.join(selects)}) group by model, name"
        )
        for row in rows.collect():
            type_text, *texts = guessed[row.model].get(row.name, [""])
            if type_text and not (set(row.texts) <= set(texts) or len(texts) >= _MAX_TEXTS):
                some = sorted({*texts, *row.texts})[:_MAX_TEXTS]
                found.setdefault(row.model, {})[row.name] = [type_text, *some]
    return found
