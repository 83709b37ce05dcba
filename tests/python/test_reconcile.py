"""Current tables against files, the row of monitoring with its test, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from changelake.build.dbt import Build
from changelake.reconcile.compare import Difference
from changelake.reconcile.databases import database_of
from changelake.reconcile.results import write_differences
from reconciled import FEED, ReconciledLake

FEEDS_OF_TABLES = {FEED: "canal"}
LONG = "1234567890123456789012345678.1234567890"
COLUMNS = {
    "id": "bigint",
    "name": "string",
    "total": "decimal(38,10)",
    "at": "timestamp_ntz",
    "ts": "timestamp",
    "ratio": "double",
    "ok": "boolean",
    "raw": "binary from hex",
    "clock": "string from time",
}
ROW = {
    "name": "",
    "total": LONG,
    "at": "2026-03-01 08:00:00.123456",
    "ts": "2026-03-01 08:00:00",
    "ratio": "0.1",
    "ok": "true",
    "raw": "00ff",
    "clock": "10:00:00.5",
}
HEADER = "id,name,total,at,ts,ratio,ok,raw,clock"
CELLS = f'"",{LONG},2026-03-01T08:00:00.123456,2026-03-01T08:00:00.000000Z,0.1,true,AP8=,10:00:00.5'


@pytest.fixture(scope="module")
def made(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> ReconciledLake:
    """The lake, built."""
    lake = ReconciledLake(spark, project, tmp_path_factory.mktemp("reconciled"))
    lake.declare("files", COLUMNS, key=["id"])
    lake.land("files", *({"id": str(number), **ROW} for number in range(1, 4)))
    lake.declare("bag", {"a": "int", "b": "string"}, key=[])
    lake.land("bag", {"a": "1", "b": "x"}, {"a": "1", "b": "x"}, {"a": "2", "b": "y"})
    lake.declare(
        "named", {"id": {"type": "string", "ignore_case": True}, "n": "tinyint"}, key=["id"]
    )
    lake.land("named", {"id": "Ab", "n": "300"}, {"id": "c"})
    parts = {"id": "int", "shard": "string"}
    lake.declare("sharded", parts, key=["shard", "id"], shards=r"shop\.x_\d", shard="shard")
    lake.land("x_1", {"id": "1"})
    lake.declare("hidden", {"id": {"type": "string", "mask": "hash"}}, key=["id"])
    lake.land("hidden", {"id": "1"})
    (project / "models" / "current" / "files.yml").write_text(
        "version: 2\nmodels:\n- name: files\n  data_tests:\n  - is_reconciled:\n"
        "      arguments: {days: 3650}\n"
    )
    lake.build()
    return lake


def write(directory: Path, name: str, *lines: str) -> str:
    """Write a file and return its path."""
    file = directory / name
    file.write_text("".join(f"{line}\n" for line in lines))
    return str(file)


def is_reconciled(made: ReconciledLake) -> bool:
    """Say whether dbt's test passes."""
    built = Build(made.spark, "local", lambda _: None).invoke(
        "test", "--select", "files,test_name:is_reconciled"
    )
    (node,) = (one for one in built.nodes if one.kind == "test")
    assert node.status in ("pass", "fail"), node.message
    return node.status == "pass"


def test_a_file_and_what_dbt_says_of_it(made: ReconciledLake, tmp_path: Path) -> None:
    # never compared
    assert not is_reconciled(made)
    equal = [HEADER, *(f"{number},{CELLS}" for number in range(1, 4))]
    said = made.reconcile("--table", "files", "--file", write(tmp_path, "a.csv", *equal))
    assert said.code == 0, said.text
    assert "equal in 9 columns" in said.text
    assert is_reconciled(made)

    other = f"1,{CELLS}".replace('""', "").replace("890,2026", "891,2026").replace("AP8=", "AP8A")
    file = write(tmp_path, "b.csv", HEADER, other, f"3,{CELLS}", f"4,{CELLS}")
    said = made.reconcile("--table", "current.files", "--file", file, "--limit", "2")
    assert said.code == 5
    assert said.cells("id") == {
        ("cell", "1", "name"), ("cell", "1", "total"), ("cell", "1", "raw"), ("extra", "2", None),
        ("missing", "4", None),
    }  # fmt: skip
    cells = {one["column"]: (one["here"], one["there"]) for one in said.differences}
    assert (cells["name"], cells["raw"]) == (("", None), ("00ff", "00ff00"))
    assert "and more: --output FILE has all, --limit 20 shows more" in said.text
    assert "different: 3 rows differ" in said.text
    assert not is_reconciled(made)

    rows = made.spark.table("monitoring.reconciliations").orderBy("at").collect()
    assert [(row.relation, row.rows_here, row.rows_there, row.differing_rows) for row in rows] == [
        ("files", 3, 3, 0), ("files", 3, 3, 3)
    ]  # fmt: skip
    assert rows[-1].source == file and rows[-1].undecided_rows == 0
    # too old
    made.spark.sql("delete from monitoring.reconciliations where differing_rows > 0")
    assert is_reconciled(made)
    made.spark.sql("update monitoring.reconciliations set at = at - interval 3651 days")
    assert not is_reconciled(made)


def test_json_and_parquet(made: ReconciledLake, tmp_path: Path) -> None:
    row = (
        f'"name": "", "total": {LONG}, "at": "2026-03-01T08:00:00.123456",'
        ' "ts": "2026-03-01T10:00:00+02:00", "ratio": 0.1, "ok": true, "raw": "AP8=",'
        ' "clock": "10:00:00.500", "more": 1'
    )
    lines = [f'{{"id": {number}, {row}}}' for number in range(1, 4)]
    said = made.reconcile("--table", "files", "--file", write(tmp_path, "a.jsonl", *lines))
    assert said.code == 0, said.text
    assert "not compared: more: not declared here" in said.text
    lines[0] = lines[0].replace("7890,", "7891,")
    said = made.reconcile("--table", "files", "--file", write(tmp_path, "a.json", *lines))
    assert said.cells("id") == {("cell", "1", "total")}

    names = ", ".join(COLUMNS)
    made.spark.sql(f"select {names}, array(1) as list from current.files").coalesce(
        1
    ).write.parquet(str(tmp_path / "written"))
    (file,) = (tmp_path / "written").glob("*.parquet")
    said = made.reconcile("--table", "files", "--file", str(file))
    assert said.code == 0, said.text


def test_rows_without_a_key_are_counted(made: ReconciledLake, tmp_path: Path) -> None:
    file = write(tmp_path, "a.csv", "a,b", "2,y", "1,x", "1,x")
    assert made.reconcile("--table", "bag", "--file", file).code == 0
    file = write(tmp_path, "b.csv", "a,b", "1,x", "3,")
    said = made.reconcile("--table", "bag", "--file", file)
    assert {
        (one["kind"], one["key"]["a"], one["key"]["b"], one["here"], one["there"])
        for one in said.differences
    } == {
        ("cell", "1", "x", "2", "1"), ("extra", "2", "y", "1", None),
        ("missing", "3", None, None, "1"),
    }  # fmt: skip


def test_what_the_type_does_not_hold_and_what_has_not_come(
    made: ReconciledLake, tmp_path: Path
) -> None:
    file = write(tmp_path, "a.csv", "id,n", "aB,300", "c,")
    said = made.reconcile("--table", "named", "--file", file)
    # the key is the same, and its spelling is not
    assert [(one["column"], one["here"], one["there"]) for one in said.differences] == [
        ("n", "(no value has come)", None), ("id", "Ab", "aB")
    ]  # fmt: skip


def test_refusals(made: ReconciledLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, "a.csv", HEADER, f"1,{CELLS}", f"1,{CELLS}")
    unknown = "there is no current model of that name:"
    short = write(tmp_path, "b.csv", "name", "x")
    other = write(tmp_path, "c.csv", "z", "x")
    for arguments, message in (
        (("files",), "give either --jdbc or --file"),
        (("files", "--file", file, "--jdbc", "jdbc:mysql:x"), "give either --jdbc or --file"),
        (("files", "--file", file, "--user", "u"), "--source-table and --user go with --jdbc"),
        (("file", "--file", file), f"--table file: {unknown} did you mean current.files?"),
        (("zzz", "--file", file), f"--table zzz: {unknown} scripts/sql.py --tables lists all"),
        (("files", "--file", f"{file}.gz"), f"--file {file}.gz: there is no such file"),
        (("files", "--file", write(tmp_path, "a.txt", "x")), f"--file {tmp_path}/a.txt: write a"),
        (("files", "--file", file), f"{file} has 2 rows of one key (id)"),
        (("files", "--file", short), "files cannot be compared: id of its key: not at the source"),
        (("bag", "--file", other), "bag and the source have no column in common"),
        (("hidden", "--file", file), "hidden cannot be compared: id of its key: masked here"),
        (("sharded", "--file", file), "sharded is made of several source tables, which --file"),
        (("files", "--jdbc", "jdbc:derby:x"), "--jdbc jdbc:derby:x: write a URL that begins with"),
        (("files", "--jdbc", "jdbc:mysql://h/?password=x"), "--jdbc has a password in its URL"),
        (("files", "--file", file, "--target", "cluster"), "this command works on a lake of"),
    ):  # fmt: skip
        said = made.reconcile("--table", *arguments)
        *_, line = said.text.splitlines()
        assert said.code == 1 and line.startswith(f"error: {message}"), said.text
    made.declare("unbuilt", {"id": "int"}, key=["id"])
    said = made.reconcile("--table", "unbuilt", "--file", file)
    (made.project / "models" / "current" / "unbuilt.sql").unlink()
    assert said.text == "error: current.unbuilt is not built yet: run scripts/run.py first\n"
    monkeypatch.setattr(made, "directory", tmp_path / "a.csv")
    said = made.reconcile("--table", "files", "--file", file)
    assert said.text.startswith("error: --output") and "cannot be written" in said.text


def test_differences_as_csv(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    found = [
        Difference("differs", "cell", {"id": "1"}, "name", "", None),
        Difference("undecided", "missing", {"id": "2"}, None, None, None),
    ]
    write_differences(found, file)
    assert file.read_text() == (
        "verdict,kind,key,column,here,there\n"
        'differs,cell,"{""id"": ""1""}",name,"",\n'
        'undecided,missing,"{""id"": ""2""}",,,\n'
    )


@pytest.mark.parametrize(
    ("scheme", "source_type", "holds"),
    [
        ("oracle", "NUMBER", "number"),
        ("oracle", "TIMESTAMP(6) WITH TIME ZONE", "instant"),
        ("oracle", "BLOB", None),
        ("sqlserver", "datetimeoffset", "instant"),
        ("sqlserver", "nvarchar", "text"),
        ("sqlserver", "geography", None),
        ("mysql", "bit(1)", "boolean"),
        ("mysql", "point", None),
        ("postgresql", "interval", None),
        ("postgresql", "character varying(9)[]", None),
        ("postgresql", "time(3) with time zone", None),
    ],
)
def test_types_without_a_shared_text(scheme: str, source_type: str, holds: str | None) -> None:
    found = database_of(scheme).text("a", source_type)
    assert (found and found[0]) == holds
