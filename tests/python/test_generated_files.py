"""Generated files: dbt reads the names in them but renders none, and a full disk costs none."""

import os
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from dbt.clients.jinja import get_rendered
from hypothesis import given

from changelake.build.dbt import parse
from changelake.core.errors import UserError
from changelake.core.quoting import sql_name
from changelake.dev.project import project_copy
from changelake.onboarding.generated_files import (
    insert_lines,
    is_edited,
    literal,
    read_generated,
    write_generated,
)
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.names import column_names
from changelake.onboarding.tables import SourceColumn, SourceTable
from odd_names import NAMES, odd_names
from processes import room_for

TABLES, COLUMNS = 40, 249


@given(NAMES)
def test_a_literal_is_what_it_says_and_cannot_be_left(name: str) -> None:
    said: list[str] = []
    context = {"config": lambda **options: said.append(options["meta"]) or ""}
    text = f"{{{{ config(meta={literal(name)}) }}}}\n{{{{ 'behind' }}}}"
    assert (get_rendered(text, context), said) == ("\nbehind", [name])
    assert literal(name).isprintable()


def source_table(number: int, names: list[str]) -> SourceTable:
    """Return a table that is named after the first name, with columns named after the others."""
    own, *others = names
    columns = [
        SourceColumn(name, "varchar(9)", place % 10 == 0) for place, name in enumerate(others)
    ]
    key = [column.name for column in columns if column.is_key]
    return SourceTable("shop", "canal", "mysql", f"{own}{number}", own, own or "t", columns, key)


@pytest.mark.thorough
def test_dbt_reads_the_names_that_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = odd_names(TABLES * (COLUMNS + 1))
    tables = [source_table(number, names[number::TABLES]) for number in range(TABLES)]
    plain = source_table(0, ["a", "b"])
    monkeypatch.setenv("CHANGELAKE_HOME", str(tmp_path / "lake"))
    with project_copy(tmp_path / "project") as copy:
        yml = {}
        for table in [plain, *tables]:
            files = write_table(table, copy / "models" / "current").files
            files |= write_history(table, copy / "models" / "history")
            texts = [file.read_text() for file in files if file.suffix == ".yml"]
            yml[table.relation] = [
                text.replace(table.relation, "").splitlines()[1:] for text in texts
            ]
        nodes = parse("local").nodes.values()
        compiled = compiled_tests(copy)
    # The texts that dbt renders contain no part of a name.
    assert {str(texts) for texts in yml.values()} == {str(yml[plain.relation])}
    models = {node.name: node for node in nodes if node.resource_type == "model"}
    for table in tables:
        meta = dict(models[table.relation].config.meta)
        sources = [
            name if isinstance(declared, str) else declared["source"]
            for name, declared in meta.pop("columns").items()
        ]
        assert sources == [column.name for column in table.columns]
        assert meta == {
            "feeds": ["shop"], "database": table.database, "table": table.table, "key": table.key,
            **({"schema": table.schema} if table.schema else {}),
        }  # fmt: skip
        history = models[f"{table.relation}__history"]
        assert history.config.meta == {"current": table.relation}
        assert history.alias == table.relation
    tests = [node for node in nodes if node.resource_type == "test" and node.name[:6] == "is_key"]
    assert len(tests) == 2 * len(tables) + 2
    assert {name for test in tests for name in test.test_metadata.kwargs} == {"model"}
    for table in tables:
        known = column_names(column.name for column in table.columns)
        due = ", ".join(sql_name(known[name]) for name in table.key or [])
        for name in (f"{table.relation}", f"{table.relation}__history"):
            assert f"group by {due}\n" in compiled[name]


def compiled_tests(project: Path) -> dict[str, str]:
    """Return each model's is_key test as compiled by dbt, without a Spark session."""
    os.chdir(project)
    outcome = dbtRunner().invoke(
        ["--quiet", "--log-level", "none", "compile", "--no-introspect", "--no-populate-cache"]
        + ["--target", "local", "--select", "test_name:is_key"]
    )
    assert outcome.success, outcome.exception
    # Its type depends on the command.
    result: Any = outcome.result
    nodes = [one.node for one in result.results]
    return {str(node.attached_node).split(".")[-1]: node.compiled_code for node in nodes}


def test_a_key_that_a_yml_names_is_tested_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in files from an earlier onboard.py, or by a person; a table without a key gets none."""
    monkeypatch.setenv("CHANGELAKE_HOME", str(tmp_path / "lake"))
    relations = []
    with project_copy(tmp_path / "project") as copy:
        for number, test in enumerate(["is_key: {arguments: {columns: [b, 'a`c']}}", "is_key"]):
            table = source_table(number, ["a", "b"])
            table.key = []
            relations.append(table.relation)
            model, beside = write_table(table, copy / "models" / "current").files
            beside.write_text(f"{beside.read_text()}  data_tests: [{test}]\n")
        tests = compiled_tests(copy)
    # dbt's threads compile them in any order.
    compiled = [tests[name] for name in relations]
    assert "having count(*) > 1 or `b` is null or `a``c` is null" in compiled[0]
    assert compiled[1].split() == ["select", "1", "as", "no_key", "where", "false"]


@pytest.mark.parametrize("edit", ["", "-- mine\n"])
def test_a_full_disk_costs_no_model(tmp_path: Path, edit: str) -> None:
    """Once, a truncated file counted as edited forever, and a person's own edits were lost."""
    model = tmp_path / "t.sql"
    write_generated(model, "select 1\n" + "-- more\n" * 1000)
    before = model.read_text() + edit
    model.write_text(before)
    with room_for(4000), pytest.raises(OSError, match=r"t\.sql"):
        insert_lines(model, 9, "-- added\n")
    if not edit:
        with room_for(4000), pytest.raises(OSError, match=r"t\.sql"):
            write_generated(model, "select 2\n" + "-- more\n" * 1000)
    assert (model.read_text(), is_edited(model)) == (before, bool(edit))


def test_a_file_that_was_cut_short_is_written_again(tmp_path: Path) -> None:
    model = tmp_path / "t.sql"
    write_generated(model, "select 'a'\nfrom b\n")
    whole = model.read_text()
    for size in range(len(whole)):
        model.write_text(whole[:size])
        assert write_generated(model, "select 'a'\nfrom b\n") == "written"
        assert model.read_text() == whole
    # The text to write does not begin with it, so it may be a person's.
    model.write_text(whole[:-2])
    assert write_generated(model, "select 'a'\nfrom c\n") == "kept"


def test_a_file_that_was_cut_in_a_letter_is_written_again(tmp_path: Path) -> None:
    model = tmp_path / "t.sql"
    write_generated(model, "select 'é名🙂'\n")
    whole = model.read_bytes()
    for size in range(len(whole)):
        model.write_bytes(whole[:size])
        assert write_generated(model, "select 'é名🙂'\n") == "written"
        assert model.read_bytes() == whole


@pytest.mark.parametrize("text", ["select 'né'\n", "-- written by scripts/onboard.py, né\n"])
def test_a_file_that_dbt_cannot_read_is_named(tmp_path: Path, text: str) -> None:
    model = tmp_path / "t.sql"
    model.write_bytes(text.encode("latin-1"))
    assert is_edited(model)
    for call in (
        lambda: write_generated(model, "select 1\n"),
        lambda: insert_lines(model, 0, "-- added\n"),
        lambda: read_generated(model),
    ):
        with pytest.raises(UserError, match=r"t\.sql is not UTF-8 \(byte \d+\): save it as UTF-8"):
            call()
    assert model.read_bytes() == text.encode("latin-1")


def test_lines_keep_the_ends_that_a_person_gave_them(tmp_path: Path) -> None:
    model = tmp_path / "t.sql"
    for head in ("", "-- written by scripts/onboard.py, checksum 0123456789abcdef\r\n", "\ufeff"):
        model.write_bytes(f"{head}a\r\nb\u2028\r\nc\nd".encode())
        text = read_generated(model)
        assert text is not None
        first, _, _ = text.partition("a\n")
        insert_lines(model, len(first) + 2, "new\nnewer\n")
        assert model.read_bytes().decode() == f"{head}a\r\nnew\r\nnewer\r\nb\u2028\r\nc\nd"
        text = read_generated(model)
        assert text is not None
        insert_lines(model, text.index("d"), "last\n")
        assert model.read_bytes().decode().endswith("b\u2028\r\nc\nlast\nd")
    # git changed the line ends, which is no edit.
    write_generated(model := tmp_path / "u.sql", "a\nb\n")
    model.write_bytes(model.read_bytes().replace(b"\n", b"\r\n"))
    assert (is_edited(model), write_generated(model, "a\nb\n")) == (False, "unchanged")


def test_lines_are_put_into_files_as_they_are(tmp_path: Path) -> None:
    model = tmp_path / "t.sql"
    write_generated(model, "a\nb\n")
    insert_lines(model, 2, "new\n")
    assert write_generated(model, "a\nnew\nb\n") == "unchanged"
    for mine in (model.read_text() + "c\n", "a\nnew\nb\nc\n"):
        model.write_text(mine)
        insert_lines(model, 6, "newer\n")
        assert model.read_text() == mine.replace("new\n", "new\nnewer\n")
