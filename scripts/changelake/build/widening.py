"""Widens guessed column types for values that do not fit."""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from changelake.build.declared_tables import ADD, ASK, DeclaredTable
from changelake.build.evolving_models import Evolution, whole_tables
from changelake.build.marks import Marks
from changelake.core.errors import UserError
from changelake.core.terminal import in_line
from changelake.onboarding.change_texts import Subject, change_text
from changelake.onboarding.differences import Change, changes_by_values
from changelake.onboarding.following import Widened, widen
from changelake.onboarding.generated_files import is_edited, is_from_schema
from changelake.onboarding.model_columns import declared_type
from changelake.onboarding.seen import look_at_values
from changelake.spark.sql_session import SqlSession


def widen_by_values(
    lake: SqlSession,
    tables: Mapping[str, DeclaredTable],
    files: Mapping[str, Path],
    marks: Marks,
    outgrown: Mapping[str, Mapping[str, list[str]]],
    evolution: Evolution,
) -> None:
    """Widen columns with guessed types that do not hold all values.

    For models that a person or a schema file has written, it is only reported.

    Args:
        lake: takes statements, the tables built.
        tables: the meta of the models by name.
        files: the current models' files by name.
        marks: what earlier runs have reported and widened.
        outgrown: see outgrown_columns().
        evolution: the result of evolve(), which is extended here.
    """
    look_at_values(lake, [one for model in outgrown for one in evolution.sources[model]])
    evolution.outgrown = marks.outgrown()
    for model, names in sorted(outgrown.items()):
        meta, file = tables[model], files[model]
        is_own = meta["evolve"] == ASK or is_edited(file) or not os.access(file, os.W_OK)
        is_told = is_from_schema(file)
        sources = whole_tables(model, meta, evolution.sources[model])
        changes = changes_by_values(sources, meta, names, can_widen=not is_own and not is_told)
        wider = {name: one for name, one in changes.items() if one.kind == "wider"}
        widened = _widen(model, file, meta, wider, marks)
        evolution.remarks += [in_line(f"{model}: {one.text}, for values seen") for one in widened]
        evolution.is_changed |= bool(widened)
        done = {one.name for one in widened}
        for name, change in changes.items():
            if name in done:
                continue
            # a schema file knows the type better than the values do
            kind = "undecodable" if is_told or change.kind == "undecodable" else "outgrown"
            change = change._replace(kind=kind)
            text = change_text(change, Subject(model, sources, meta["columns"], is_own, is_told))
            if kind == "outgrown":
                evolution.ask(model, change, meta, text)
            else:
                evolution.remarks.append(in_line(f"{model}: {text}"))
            of_model = evolution.outgrown.setdefault(model, {})
            of_model[name] = names[name][:1] if kind == "outgrown" else names[name]


def _widen(
    model: str, file: Path, meta: DeclaredTable, changes: Mapping[str, Change], marks: Marks
) -> list[Widened]:
    # Widen columns of a model; return those that could be.
    if not changes:
        return []
    rebuild, widened = marks.rebuild(), marks.widened()
    types = [
        [one.column, declared_type(meta["columns"][name]), one.detail]
        for name, one in changes.items()
    ]
    # before its model is written: the table is rebuilt whatever happens then
    marks.write(
        rebuild=sorted({*rebuild, model}),
        widened=widened | {model: [*widened.get(model, []), *types]},
    )
    done: list[Widened] = []
    # if it cannot be written after all, a person is asked
    with contextlib.suppress(UserError, OSError):
        for column, _, now in types:
            if one := widen(file, column, now):
                done.append(one)
    if not done:
        marks.write(rebuild=sorted(rebuild), widened=widened)
    return done


def widen_again(
    tables: Mapping[str, DeclaredTable], files: Mapping[str, Path], marks: Marks
) -> Evolution:
    """Declare columns as wide as the tables have them, if models have their old types again.

    That is so when a project is redeployed.

    Args:
        tables: the meta of current models by name.
        files: their files by name.
        marks: what earlier runs have widened.

    Returns:
        What was done.
    """
    done = Evolution()
    for model, columns in marks.widened().items():
        file = files.get(model)
        if file is None or tables[model]["evolve"] != ADD:
            continue
        if is_edited(file) or is_from_schema(file):
            continue
        for column, before, now in columns:
            with contextlib.suppress(UserError, OSError):
                if one := widen(file, column, now, before):
                    done.remarks.append(in_line(f"{model}: {one.text}, as in the table"))
                    done.is_changed = True
    return done
