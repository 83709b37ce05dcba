"""What people were asked to decide, and which of these decisions are still open."""

from collections.abc import Collection, Iterable

from changelake.build.declared_tables import DeclaredTable
from changelake.onboarding.differences import Change, Kind
from changelake.onboarding.model_columns import source_names

# Each run checks whether these still hold.
_SEEN_AGAIN: tuple[Kind, ...] = ("new", "wider", "unfit", "key", "hidden")
# These show only in new events, and are open until the model declares the column differently.
_OF_A_COLUMN: tuple[Kind, ...] = ("unmatched", "outgrown", "altered", "split")


def decision(change: Change, meta: DeclaredTable, text: str) -> list[str] | None:
    """Return what to remember of a decision; None if nothing would show that it was taken.

    That is the change, how its column is declared, and what the person is told.

    Args:
        change: what a person has to decide about.
        meta: what the model declares.
        text: what the person is told.
    """
    if change.kind not in _SEEN_AGAIN + _OF_A_COLUMN:
        return None
    return [*change, _declared(meta, change.column), text]


def still_open(
    asked: Iterable[list[str]], changes: Collection[Change], meta: DeclaredTable
) -> list[list[str]]:
    """Return the decisions that are not taken yet.

    Args:
        asked: what decision() returned in earlier runs, for one model.
        changes: how its source differs from it now.
        meta: what the model declares now.
    """
    found: list[list[str]] = []
    for one in asked:
        kind, column, detail, declared, _ = one
        if kind in _SEEN_AGAIN:
            is_open = (kind, column, detail) in changes
        else:
            is_open = declared == _declared(meta, column)
        # with a key, no other column has to tell rows apart
        if is_open and not (kind == "unmatched" and meta.get("key")):
            found.append(one)
    return found


def texts_of(asked: Iterable[list[str]]) -> list[str]:
    """Return what a person was told of decisions, a line each."""
    return [one[-1] for one in asked]


def _declared(meta: DeclaredTable, column: str) -> str:
    found = (
        {name: one} for name, one in meta["columns"].items() if column in source_names(name, one)
    )
    return str(next(found, ""))
