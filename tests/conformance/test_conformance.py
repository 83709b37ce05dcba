"""All dialects write the same changes, and all current tables hold the same rows."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from changelake.core.settings import REPO
from changelake.core.tuning import NO_CODEGEN
from changes import COLUMNS, Column, Stream, Values, fixed_changes
from dialect_tables import Dialect, Pipeline, all_dialects, usual
from values import Step, altered, steps, take


def due(dialect: Dialect) -> dict[int, Values]:
    """Return the rows that a dialect's table must hold."""
    return {
        key: {one.name: usual(one, _known(dialect, one, row[one.name])) for one in row.columns}
        for key, row in dialect.rows.items()
    }


def _known(dialect: Dialect, column: Column, value: Any) -> Any:
    name = column.like or column.name
    if name not in dialect.different or value is None:
        return value
    return dialect.different[name][1](value)


def differences(found: dict[int, Values], expected: dict[int, Values]) -> str:
    """Return the rows and cells that differ from what is expected, one per line."""
    lines = [
        f"row {key}: {'too many' if key in found else 'missing'}"
        for key in sorted(set(found) ^ set(expected))
    ]
    for key in sorted(set(found) & set(expected)):
        lines += [
            f"row {key}, {name}: {value!r:.200} came as {found[key][name]!r:.200}"
            for name, value in expected[key].items()
            if found[key][name] != value
        ]
    return "\n".join(lines)


def read_texts_of_guesses(rows: dict[int, Values], types: dict[str, str]) -> None:
    """Where a guessed type cannot hold a number, read it from its text, which the row keeps.

    If the dialect has no types, a float is declared as a decimal with the digits seen so far, and
    later values can have more.
    """
    for column in COLUMNS:
        if column.base in ("float", "double") and types[column.name].startswith("decimal"):
            for row in rows.values():
                if isinstance(row[column.name], str):
                    row[column.name] = usual(column, row[column.name].removeprefix("undecodable: "))


def _wanted(request: pytest.FixtureRequest) -> set[str]:
    """Return the dialects that the selected tests look at: a test without a name looks at all."""
    known = {one.name for one in all_dialects()}
    wanted: set[str] = set()
    for item in request.session.items:
        is_here = getattr(item, "module", None) is request.module
        if is_here and "pipeline" in getattr(item, "fixturenames", ()):
            callspec = getattr(item, "callspec", None)
            wanted |= {callspec.params["name"]} if callspec else known
    return wanted


@pytest.fixture(scope="module")
def pipeline(
    request: pytest.FixtureRequest,
    spark: Any,
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Pipeline:
    """The tables of the dialects that the selected tests look at, after the fixed changes."""
    log = tmp_path_factory.mktemp("conformance") / "log"
    running = Pipeline(spark, project, log, _wanted(request))
    for number, batch in enumerate(fixed_changes(running.stream)):
        running.build(batch, variants=number == 0)
    return running


@pytest.mark.parametrize("name", [one.name for one in all_dialects()])
def test_every_cell_is_the_sources(pipeline: Pipeline, name: str) -> None:
    dialect = next(one for one in pipeline.dialects if one.name == name)
    assert differences(pipeline.rows(dialect), due(dialect)) == ""


def test_no_message_is_rejected(pipeline: Pipeline) -> None:
    assert pipeline.rejects() == []


def test_the_docs_list_what_differs() -> None:
    """Each row of the list names dialects, then types."""
    text = (REPO / "docs" / "types.md").read_text(encoding="utf-8")
    section = text.split("\n## What a dialect does not carry\n")[1].split("\n## ")[0]
    names = [
        [re.findall(r"`(\w+)`", cell) for cell in line.split("|")[1:3]]
        for line in section.splitlines()
        if line.startswith("| `")
    ]
    listed = {
        (dialect, base) for dialects, bases in names for dialect in dialects for base in bases
    }
    bases = {column.name: column.base for column in COLUMNS}
    seen = {
        (one.format, bases[name])
        for one in all_dialects()
        if not one.has_schema_file
        for name in one.different
    }
    assert listed == seen


@pytest.mark.parametrize("name", ["canal", "canal_full_load_as_INIT"])
def test_types_are_the_sources(pipeline: Pipeline, name: str) -> None:
    """Canal gives types in full."""
    dialect = next(one for one in pipeline.dialects if one.name == name)
    assert pipeline.types(dialect) == {column.name: column.spark for column in COLUMNS}


WITH_FILE = [one.name for one in all_dialects() if one.has_schema_file]
# Types that a column does not get from the schema file. OMS writes bits in Base64, which is read
# as a number, and DMS in hexadecimal. CloudCanal does not say how it writes bytes and bits, and
# DRS's Avro does not say how it writes bits.
NUMBER = {"c_bit1": "decimal(20,0)"}
OTHER_TYPES = {
    "cloudcanal_json": dict.fromkeys(("c_varbinary", "c_blob", "c_bit8", "c_bit64"), "string"),
    "dms_json": dict.fromkeys(("c_bit8", "c_bit64"), "binary"),
    "drs_avro": dict.fromkeys(("c_bit1", "c_bit8", "c_bit64"), "string"),
    "oceanbase_dataworks": NUMBER,
    "oceanbase_default": NUMBER,
    "oceanbase_default_extended": NUMBER,
    "oceanbase_shareplex": NUMBER,
}


@pytest.mark.parametrize("name", WITH_FILE)
def test_a_schema_files_types_are_the_sources(pipeline: Pipeline, name: str) -> None:
    dialect = next(one for one in pipeline.dialects if one.name == name)
    types = {column.name: column.spark for column in COLUMNS}
    assert pipeline.types(dialect) == types | OTHER_TYPES.get(dialect.format, {})


def change_at_random(stream: Stream, examples: int) -> None:
    """Change random rows; each example is one list of steps."""

    # Derandomized: the changes are the same in every run of one commit. Hypothesis also picks up
    # constants in the code as values, so any commit can make it draw large values often, which is
    # no reason to fail.
    @given(steps=steps(stream.columns))
    @settings(
        max_examples=examples,
        deadline=None,
        phases=[Phase.generate],
        derandomize=True,
        # HealthCheck's iterator has no type.
        suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]
    )
    def happen(steps: list[Step]) -> None:
        take(steps, stream)

    happen()


def test_random_changes_of_random_rows(pipeline: Pipeline) -> None:
    change_at_random(pipeline.stream, 6)
    pipeline.build(pipeline.stream.news(), variants=False)
    assert pipeline.rejects() == []
    for dialect in (one for one in pipeline.dialects if not one.is_variant):
        rows = pipeline.rows(dialect)
        read_texts_of_guesses(rows, pipeline.types(dialect))
        found = differences(rows, due(dialect))
        assert (dialect.name, found) == (dialect.name, "")


def test_random_alters_between_random_changes(pipeline: Pipeline) -> None:
    """A run follows an `alter table` from the messages' columns; no DDL statement is sent."""
    # The tests above cover compiled code, which costs seconds in each of a hundred builds.
    for name, value in NO_CODEGEN.items():
        pipeline.spark.conf.set(name, value)
    # Collections have no columns, and the types from a schema file stay as they are.
    telling = [one for one in pipeline.dialects if not one.is_variant and "mongo" not in one.format]
    random = Random(26)
    for alters in (2, 1):
        for _ in range(alters):
            pipeline.stream.alter(altered(random, pipeline.stream.columns))
            change_at_random(pipeline.stream, 3)
        pipeline.run(pipeline.stream.news(), telling)
        assert pipeline.rejects() == []
        for dialect in telling:
            found = differences(pipeline.rows(dialect), due(dialect))
            assert (dialect.name, found) == (dialect.name, "")
