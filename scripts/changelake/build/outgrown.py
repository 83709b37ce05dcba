"""Which columns have values that their types do not hold, where these are guesses."""

from collections.abc import Mapping

from changelake.build.declared_tables import DeclaredTable
from changelake.core.quoting import sql_name, sql_string
from changelake.onboarding.differences import guessed_columns
from changelake.onboarding.model_columns import declared_type
from changelake.onboarding.tables import SourceTable
from changelake.spark.sql_session import SqlSession

# Of a column that has no more different ones than these its texts are known.
_MAX_TEXTS = 20


def outgrown_columns(
    lake: SqlSession,
    tables: Mapping[str, DeclaredTable],
    sources: Mapping[str, list[SourceTable]],
    since: Mapping[str, int],
    said: Mapping[str, Mapping[str, list[str]]],
) -> dict[str, dict[str, list[str]]]:
    """Return by current model the declared columns that do not hold a value which has come.

    The states say so, of the rows and versions that a build has written; no value is read again.
    Of types that the messages tell in full nothing is asked, which would be a tenth of a second
    for each table. What a person was asked, or was said of the same texts, is left out: what
    comes next is a look at all values of the column.

    Args:
        lake: takes statements.
        tables: the tables that were built, current and history, by the model's name.
        sources: by current model the tables that it is made of.
        since: by model the last batch that is known; the state has later ones.
        said: see Marks.outgrown().

    Returns:
        By column its type, and behind it some of the texts that it does not hold.
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
    # not in a dbt model, since this is asked between two builds, of the tables of this run
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
