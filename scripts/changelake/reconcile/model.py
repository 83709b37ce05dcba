"""A current table by its model, and which of its columns can be compared with a source."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from changelake.build.declared_tables import DeclaredTable
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.onboarding.declarations import Declaration
from changelake.onboarding.model_columns import DeclaredColumn, declared_type, source_names
from changelake.query.near_names import near_names
from changelake.reconcile.texts import COUNT, Column, kind_of


@dataclass
class Model:
    """A current table, as its model declares it.

    Attributes:
        name: the relation's name in `current`, and in `history`.
        meta: what the model declares.
        types: the table's Spark types, by column.
        schema: where it is read: current, or history for earlier rows.
    """

    name: str
    meta: DeclaredTable
    types: dict[str, str]
    schema: str = "current"

    @property
    def key(self) -> list[str]:
        """The names, in the current table, of the key's columns; empty without a key.

        Raises:
            UserError: the key names a column that is not declared.
        """
        names = {name: source_names(name, one) for name, one in self.meta["columns"].items()}
        key: list[str] = []
        for source in self.meta.get("key") or ():
            # like key_of_table(): a column's present name can be a former name of another one
            found = [name for name, each in names.items() if each[0] == source]
            found += [name for name, each in names.items() if source in each]
            if not found:
                raise UserError(
                    f"the key of {self.name} names {source}, which no column has as its name at the"
                    " source: declare that column, or name another one"
                )
            key.append(found[0])
        return key


@dataclass
class Choice:
    """The columns that are compared, and why others are not.

    Attributes:
        columns: what is compared.
        texts: by compared column, the expression that the source has for it.
        left_out: the reason, by column.
    """

    columns: list[Column] = field(default_factory=list[Column])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    left_out: dict[str, str] = field(default_factory=dict[str, str])


def check_name(name: str, target: str) -> None:
    """Check, by the files of the project alone, that there may be a current model of a name.

    dbt names a model after its file. Whether that is one of a current table, see model_of().

    Args:
        name: as a person gave it.
        target: the profile's target.

    Raises:
        UserError: no file has that name.
    """
    name = name.removeprefix("current.")
    # those of packages too
    folders = (settings.REPO / "models", settings.REPO / "dbt_packages")
    if not any(file.stem == name for folder in folders for file in folder.rglob("*.sql")):
        current = settings.REPO / "models" / "current"
        files = (file.relative_to(current) for file in sorted(current.rglob("*.sql")))
        is_sample = target == "sample"
        raise _no_model(name, [one.stem for one in files if is_sample or one.parts[0] != "samples"])


def model_of(
    name: str, tables: dict[str, DeclaredTable], spark: Any, schema: str = "current"
) -> Model:
    """Return the model of a current table, or of its history.

    Args:
        name: as a person gave it.
        tables: what each model declares, see declared_tables().
        spark: the session, with the catalog open.
        schema: current or history.

    Raises:
        UserError: there is no such model, its table is not built, or it has no history.
    """
    name = name.removeprefix("current.")
    current = {one: table for one, table in tables.items() if table["current"] == one}
    if name not in current:
        raise _no_model(name, current)
    meta = current[name]
    relation = meta["state"]
    if schema == "history":
        of_name = (one for model, one in tables.items() if one["current"] == name != model)
        if (history := next(of_name, None)) is None:
            raise UserError(
                f"--at reads the table's history, and {name} has none: write its model as"
                " scripts/onboard.py does, then run scripts/run.py"
            )
        meta = history
        relation = meta["state"].removesuffix("__history")
    if not spark.catalog.tableExists(f"{schema}.`{relation}`"):
        raise UserError(f"{schema}.{relation} is not built yet: run scripts/run.py first")
    fields = spark.table(f"{schema}.`{relation}`").schema
    types = {one.name: one.dataType.simpleString() for one in fields}
    return Model(relation, meta, types, schema)


def _no_model(name: str, current: Iterable[str]) -> UserError:
    near = near_names(name, [("current", one) for one in current])
    hint = f"did you mean {' or '.join(near)}?" if near else "scripts/sql.py --tables lists all"
    return UserError(f"--table {name}: there is no current model of that name: {hint}")


def choose(model: Model, held: dict[str, tuple[str, str] | None], types: dict[str, str]) -> Choice:
    """Choose the columns that can be compared.

    Args:
        model: the current table.
        held: by column of the source, what it holds and the SQL of its text; None if its type has
            no text that both sides share.
        types: by column of the source, its type there, to explain what is left out.

    Raises:
        UserError: a column of the key cannot be compared.
    """
    choice = Choice()
    known: set[str] = set()
    for name, declaration in model.meta["columns"].items():
        sources = source_names(name, declaration)
        known.update(sources)
        source = next((one for one in sources if one in held), None)
        mask = None if isinstance(declaration, str) else declaration.get("mask")
        if mask:
            choice.left_out[name] = "masked here"
        elif name not in model.types:
            choice.left_out[name] = "not built yet"
        elif source is None:
            choice.left_out[name] = "not at the source"
        elif (found := held[source]) is None:
            choice.left_out[name] = f"{types[source]} has no text that both sides share"
        elif (kind := _kind(declaration, model.types[name], found[0])) is None:
            choice.left_out[name] = f"{types[source]} at the source, {model.types[name]} here"
        else:
            ignores = not isinstance(declaration, str) and declaration.get("ignore_case", False)
            choice.columns.append(Column(name, source, model.types[name], kind, ignores))
            choice.texts[name] = found[1]
    # an export by scripts/sql.py has what changelake adds; how often a row is there it does not say
    added = model.types.keys() - model.meta["columns"].keys() - {COUNT}
    for source in held:
        if source not in known | added:
            choice.left_out[source] = "not declared here"
    for name in model.key:
        if name in choice.left_out:
            raise UserError(
                f"{model.name} cannot be compared: {name} of its key: {choice.left_out[name]}: its"
                " key has to be readable on both sides: give a source that has it, or declare"
                " another key"
            )
    if not choice.columns:
        raise UserError(
            f"{model.name} and the source have no column in common: is it another table's source?"
            " Name the right one with --source-table or --file"
        )
    return choice


def _kind(declaration: str | DeclaredColumn, spark_type: str, holds: str) -> str | None:
    if holds == "any":
        # a file's, which is read as the column is declared
        encoding = Declaration(declared_type(declaration)).encoding
        base = spark_type.partition("(")[0]
        holds = {"timestamp": "instant", "binary": "binary"}.get(base, "text")
        holds = "time" if encoding.startswith("time") else holds
    return kind_of(spark_type, holds)
