# ruff: noqa: E501 - one message per line
"""The generator of a new format's files, run in a copy of the project."""

import ast
import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.dev.draft import CASES
from changelake.dev.draft_messages import bench_writer, contract_writer
from changelake.dev.message_shape import MessageShape, read_messages
from changelake.dev.project import project_copy
from changelake.dev.scaffold import new_format
from changelake.dev.unit_cases import UnitCases

FORMAT = "shop_json"
WRITERS = ("tests/python/contract_messages.py", "scripts/changelake/dev/bench_messages.py")
# Files that project_copy() leaves out.
LISTS = (
    "README.md",
    *WRITERS,
    "tests/python/test_contract.py",
    "tests/python/parsed_messages.py",
)
SHOP = '"shop": {"db": "s", "tbl": "orders"}'
# a made-up dialect
SAMPLES = [
    f'{{"action": "ins", {SHOP}, "ts_ms": 1772352000123, "txId": 7, "new": {{"id": 1, "a": "x"}}}}',
    f'{{"action": "upd", {SHOP}, "ts_ms": 1772352000123, "new": {{"id": 1, "a": null}}, "old": {{"a": "x"}}}}',
    f'{{"action": "upd", {SHOP}, "new": {{"id": 1, "a": "it\'s {{{{ y }}}}"}}, "old": {{"id": 2, "a": "x"}}}}',
    f'{{"action": "del", {SHOP}, "new": {{"id": 1, "a": "华\\u0085\u2028💰"}}}}',
    f'{{"action": "read", {SHOP}, "new": {{"id": 1, "a": "2026-03-01 08:00:00", "b": 1.50}}}}',
    f'{{"action": "resync", {SHOP}, "new": {{"id": 1, "a": "1.50"}}, "types": {{"a": "blob"}}}}',
    f'{{"action": "ddl", {SHOP}, "sql": "create table orders (id int)"}}',
    f'{{"action": "truncate", {SHOP}, "sql": "truncate table orders"}}',
    '{"action": "heartbeat", "ts_ms": 1772352000123}',
    '{"action": "checkpoint"}',
    f'{{"action": "mystery", {SHOP}}}',
]


def add_lists(project: Path) -> None:
    for path in LISTS:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(__file__).parents[2] / path, project / path)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project as it is in the repository, without the scripts."""
    for name in ("macros", "models", "seeds", "docs", "profiles", "snapshots", "tests"):
        if (settings.REPO / name).is_dir():
            ignored = shutil.ignore_patterns("python", "__pycache__")
            shutil.copytree(settings.REPO / name, tmp_path / name, ignore=ignored)
    for name in ("dbt_project.yml", "profiles.yml"):
        shutil.copy(settings.REPO / name, tmp_path / name)
    add_lists(tmp_path)
    return tmp_path


def _texts(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


@pytest.mark.thorough
def test_a_new_format_is_one_that_dbt_can_parse(copy: Path) -> None:
    made = new_format(FORMAT, copy)
    assert f"macros/formats/{FORMAT}/parse_{FORMAT}.sql" in made.written
    dbt = Path(sys.executable).parent / "dbt"
    done = subprocess.run(
        [dbt, "--quiet", "parse", "--no-partial-parse", "--target-path", copy / "target"],
        cwd=copy,
        env={"PATH": "/usr/bin:/bin", "HOME": str(copy), "CHANGELAKE_HOME": str(copy / "lake")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_lists_have_the_new_format_once(copy: Path) -> None:
    made = new_format(FORMAT, copy)
    assert len(made.extended) == 8
    for path in made.extended:
        lines = (copy / path).read_text().splitlines()
        # a function, and its entry in the list
        due = 2 if path.endswith(".py") else 1
        assert (path, len([line for line in lines if FORMAT in line])) == (path, due)
    row = f"| [`{FORMAT}`](docs/formats/{FORMAT}.md) | TODO"
    assert f"\n{row}" in (copy / "README.md").read_text()
    for path in WRITERS:
        text = (copy / path).read_text()
        ast.parse(text)
        assert f'    "{FORMAT}": {FORMAT},\n}}\n' in text
    sources = yaml.safe_load((copy / "models/bronze/_bronze__sources.yml").read_text())
    assert {"name": FORMAT} in sources["sources"][0]["tables"]
    seeds = yaml.safe_load((copy / "seeds/samples/_samples.yml").read_text())
    assert seeds["seeds"][-1]["name"] == f"{FORMAT}_messages"
    models = yaml.safe_load((copy / "models/silver/_events__models.yml").read_text())["models"]
    assert models[-1]["name"] == f"{FORMAT}_events"
    assert models[-1]["columns"] == models[0]["columns"]


def test_every_case_has_its_unit_test(copy: Path) -> None:
    new_format(FORMAT, copy)
    path = copy / f"models/silver/{FORMAT}/_{FORMAT}__unit_tests.yml"
    tests = yaml.safe_load(path.read_text())["unit_tests"]
    assert [test["name"] for test in tests] == [f"{FORMAT}__{case}" for case in CASES]


def test_nothing_is_overwritten(copy: Path) -> None:
    file = copy / "docs" / "formats" / f"{FORMAT}.md"
    file.write_text("mine")
    before = _texts(copy)
    with pytest.raises(UserError, match="is there already"):
        new_format(FORMAT, copy)
    assert _texts(copy) == before


def test_the_formats_that_are_there_are_refused(copy: Path) -> None:
    before = _texts(copy)
    with pytest.raises(UserError, match="is there already"):
        new_format("canal", copy)
    assert _texts(copy) == before


@pytest.mark.parametrize("name", ["", "Shop", "shop-json", "../shop", "1shop", "shop json"])
def test_a_name_that_no_relation_can_have_is_refused(copy: Path, name: str) -> None:
    before = _texts(copy)
    with pytest.raises(UserError, match="is not a valid format name"):
        new_format(name, copy)
    assert _texts(copy) == before


def test_the_draft_of_sample_messages_passes_its_cases(spark: Any, tmp_path: Path) -> None:
    with project_copy(tmp_path) as project:
        add_lists(project)
        made = new_format(FORMAT, project, SAMPLES, meanings={"resync": "snapshot"})
        assert made.unclear == ["mystery"]
        assert made.left_out == {"multi_row_message": "a message holds one row"}
        file = project / f"models/silver/{FORMAT}/_{FORMAT}__unit_tests.yml"
        tests = yaml.safe_load(file.read_text())["unit_tests"]
        drafted = [test["name"] for test in tests if "TODO" not in test["given"][0]["rows"]]
        left = CASES.keys() - {name.removeprefix(f"{FORMAT}__") for name in drafted}
        assert left == {"multi_row_message"}
        checked = UnitCases().check(spark, f"{FORMAT}_events", drafted)
        assert (sorted(checked.cases), checked.differences) == (sorted(drafted), [])
        samples = (project / f"seeds/samples/{FORMAT}_messages.csv").read_text()
        with io.StringIO(samples, newline="") as text:
            values = [row["value"] for row in csv.DictReader(text)]
        assert values[:-2] == SAMPLES
        # a tombstone, and a message that is cut off
        assert values[-2] == "" and SAMPLES[-1].startswith(values[-1])
        codes = (project / "seeds/operation_codes.csv").read_text()
        assert f"\n{FORMAT},read,row,snapshot\n" in codes
        assert f"\n{FORMAT},mystery" not in codes


@pytest.mark.thorough
def test_several_rows_a_message_are_taken_apart(spark: Any, tmp_path: Path) -> None:
    message = (
        '{"optype": "U", "db": "s", "table": "t", "pkNames": ["id"], "mysqlType": {"id": "int"},'
        ' "data": [{"id": "1", "a": "x"}, {"id": "2", "a": "y"}], "old": [{"a": "w"}, {"a": "v"}]}'
    )
    with project_copy(tmp_path) as project:
        add_lists(project)
        new_format(FORMAT, project, [message])
        names = [f"{FORMAT}__{case}" for case in ("update_partial_before", "multi_row_message")]
        checked = UnitCases().check(spark, f"{FORMAT}_events", names)
        assert (sorted(checked.cases), checked.differences) == (sorted(names), [])
        parser = (project / f"macros/formats/{FORMAT}/parse_{FORMAT}.sql").read_text()
        assert "message.pkNames as key_columns" in parser
        assert "message.mysqlType as column_types" in parser


def test_parts_inside_other_objects_are_found() -> None:
    shape = MessageShape(
        [
            '{"payload": {"op": "u", "source": {"db": "s", "table": "t", "ts_ms": 1, "x": {"y": 1}},'
            ' "before": {"id": 1}, "after": {"id": 1}}, "schema": {"type": "struct"}}',
            '{"payload": {"op": "d", "before": {"id": 1}, "after": null}}',
        ]
    )
    assert shape.fields == (
        "payload: struct<op: string, source: struct<db: string, `table`: string, ts_ms: string,"
        " x: string>, `before`: map<string, string>, `after`: map<string, string>>,"
        " `schema`: string"
    )
    assert shape.sql("before") == "message.payload.`before`"
    assert shape.sql("table") == "message.payload.source.`table`"
    assert [(one.code, one.operation) for one in shape.codes] == [("u", "update"), ("d", "delete")]


def test_fields_with_names_of_their_own_are_found_by_their_codes_or_named() -> None:
    messages = [
        '{"what": "INS", "src": {"t": "orders"}, "row_now": {"id": "1"}}',
        '{"what": "HB", "src": {"t": "orders"}}',
    ]
    shape = MessageShape(messages)
    assert [(one.code, one.event_type) for one in shape.codes] == [
        ("INS", "row"), ("HB", "heartbeat"),
    ]  # fmt: skip
    assert {"table", "after"} <= set(shape.unknown) and "operation" not in shape.unknown
    shape = MessageShape(messages, {"table": "src.t", "after": "row_now"})
    assert (shape.sql("table"), shape.sql("after")) == ("message.src.t", "message.row_now")
    assert "row_now: map<string, string>" in shape.fields
    for part, field, said in [
        ("tabel", "src.t", "give one of operation, database,"),
        ("table", "src.x", "no sample message has this field"),
    ]:
        with pytest.raises(UserError, match=f"--field {part}={field}: {said}"):
            MessageShape(messages, {part: field})


def test_codes_with_names_of_their_own_are_given() -> None:
    messages = ['{"op": "scan", "table": "t"}', '{"op": "beat"}']
    shape = MessageShape(messages, meanings={"scan": "snapshot", "beat": "heartbeat"})
    assert [(one.event_type, one.operation) for one in shape.codes] == [
        ("row", "snapshot"), ("heartbeat", ""),
    ]  # fmt: skip
    for code, meaning, said in [
        ("scan", "load", "give one of insert, update,"),
        ("scam", "snapshot", "no sample message has this code"),
    ]:
        with pytest.raises(UserError, match=f"--code {code}={meaning}: {said}"):
            MessageShape(messages, meanings={code: meaning})


def test_a_dry_run_writes_nothing(copy: Path) -> None:
    before = _texts(copy)
    made = new_format(FORMAT, copy, SAMPLES, is_dry_run=True)
    assert (made.found["table"], made.unclear) == ("shop.tbl", ["resync", "mystery"])
    assert _texts(copy) == before


def _function(code: str, name: str, **known: Any) -> Any:
    """What a drafted function is, in a module that has what it calls."""
    module = {"Any": Any, "Message": Any, **known}
    exec(code, module)
    return module[name]


def test_the_drafts_write_messages_like_the_samples() -> None:
    """A dialect whose updates have old values, and whose deletes have the row behind them."""
    shape = MessageShape(SAMPLES)
    write = _function(contract_writer(FORMAT, shape), FORMAT, MILLIS=1772323200000, DDL="alter t")
    row, other = {"id": "1", "a": "x"}, {"id": "1", "a": None}
    shop = {"db": "shop", "tbl": "orders"}
    assert write("ddl", None, None)[0][1]["sql"] == "alter t"
    assert write("key_change", row, row | {"id": "2"})[0][1]["old"] == {"id": "1"}
    ((key, value),) = write("update", row, other)
    assert key is None
    common = {"action": "upd", "shop": shop, "ts_ms": 1772323200000}
    assert common.items() <= value.items()
    assert (value["old"], value["new"]) == ({"a": "x"}, other)
    ((_, value),) = write("delete", row, None)
    assert (value["action"], value["old"], value["new"]) == ("del", None, row)
    sql = _function(
        bench_writer(FORMAT, shape), FORMAT, TABLE="orders", CHANGED=("a",), _TYPES="{}",
        _BEFORE="before", _AFTER="after", _row=lambda *of: f"row({of[0]}, {len(of)})",
    )()  # fmt: skip
    assert """'{"action":', case kind when 'insert' then '"ins"'""" in sql
    assert '"shop":{"db":"shop","tbl":"orders"}' in sql
    assert "\"new\":', if(kind = 'delete', row(before, 2), row(after, 2))" in sql
    assert "when 'update' then row(before, 3) when 'delete' then 'null' else 'null' end" in sql


def test_what_the_samples_lack_is_in_the_lists_of_the_tests(copy: Path) -> None:
    new_format(FORMAT, copy, ['{"op": "ins", "tenant": "a", "table": "t", "data": {"id": 1}}'])
    for path, line in [
        ("contract_messages", f'    "{FORMAT}": {{"snapshot", "ddl"}},'),
        ("test_contract", f'    "{FORMAT}": "s",'),
        ("test_contract", f'    "{FORMAT}",'),
        ("parsed_messages", f'    "{FORMAT}",'),
    ]:
        text = (copy / f"tests/python/{path}.py").read_text()
        ast.parse(text)
        assert f"\n{line}\n" in text


def test_odd_names_and_codes_break_no_file(copy: Path) -> None:
    message = r'{"op": "insert, \"all\"", "table": "t", "a\"b": 1, "{{ c }}": 2, "d`e": 3, "f\n": 4, "data": {"x\"y": "1"}}'
    made = new_format(FORMAT, copy, [message, '{"op": true}', '{"op": 7}'])
    assert made.unclear == ["true", "7"]
    with (copy / "seeds/operation_codes.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert {len(row) for row in rows} == {4}
    assert [FORMAT, 'insert, "all"', "row", "insert"] in rows
    parser = (copy / f"macros/formats/{FORMAT}/parse_{FORMAT}.sql").read_text()
    assert '"op: string, `table`: string, data: map<string, string>",' in parser
    with pytest.raises(UserError, match="have no field"):
        new_format(f"{FORMAT}_2", copy, ["{}"])


def test_a_message_is_a_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_bytes("\r\n\n".join(SAMPLES).encode())
    assert read_messages(file) == SAMPLES


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\n\n", "has no message"),
        (b'{"a": 1}\n[1]\n', "line 2 is not a JSON object: write one message a line"),
        (b'{\n"a": 1}\n', "line 1 is not a JSON object"),
        (b'{"a": "\xff"}', "it is not UTF-8"),
    ],
)
def test_a_file_without_messages_is_refused(tmp_path: Path, text: bytes, said: str) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_bytes(text)
    with pytest.raises(UserError, match=said):
        read_messages(file)
    with pytest.raises(UserError, match="No such file"):
        read_messages(tmp_path / "missing.jsonl")
