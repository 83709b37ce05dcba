"""What `sql.py` prints of Spark's values."""

import datetime
import json
import runpy
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from pyhive.exc import OperationalError
from TCLIService.ttypes import TExecuteStatementResp, TStatus
from typer.testing import CliRunner

from changelake.core.errors import UserError, sql_error
from changelake.core.quoting import sql_name, sql_string
from changelake.query import printing, relations, rows
from changelake.query.near_names import with_near_names
from changelake.query.printing import print_result
from changelake.query.sql import EmbeddedQueries
from processes import SCRIPTS

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("12345678901234567890123456789012345678BD", "12345678901234567890123456789012345678"),
        ("cast(0 as decimal(38,18))", "0.000000000000000000"),
        ("cast('1.10' as decimal(10,2))", "1.10"),
        ("9223372036854775807", "9223372036854775807"),
        ("double('NaN')", '"NaN"'),
        ("-double('Infinity')", '"-Infinity"'),
        ("X'00FF'", '"AP8="'),
        ("timestamp'2024-10-27 01:30:00+01:00'", '"2024-10-27T00:30:00.000000Z"'),
        ("timestamp'-0044-03-15 01:02:03'", '"-0044-03-15T01:02:03.000000Z"'),
        ("timestamp'12024-01-01 00:00:00.000001'", '"+12024-01-01T00:00:00.000001Z"'),
        ("timestamp_ntz'0001-01-01 00:00:00.5'", '"0001-01-01T00:00:00.500000"'),
        ("date'0000-01-01'", '"0000-01-01"'),
        ("map('a', 1.10BD, 'b', null)", '{"a":1.10,"b":null}'),
        ("map(date'2024-01-01', X'01')", '{"2024-01-01":"AQ=="}'),
        ("named_struct('x', null, 'y', array(1, null))", '{"x":null,"y":[1,null]}'),
        ("'\"é\\n'", json.dumps('"é\n', ensure_ascii=False)),
        ("cast(null as map<date, int>)", "null"),
    ],
)
def test_json_is_exact(spark: Any, expression: str, text: str) -> None:
    assert list(rows.spark_rows(spark.sql(f"select {expression} as v"))) == [f'{{"v":{text}}}']


@pytest.mark.parametrize(
    "text", ["it's \\'", '"`\\', "\\n\\u0041%\\_", "\f\b\0\x1a\r\n\x7f", "名 🙂", " "]
)
def test_texts_and_names_are_read_as_they_are(spark: Any, text: str) -> None:
    found = spark.sql(f"select {sql_string(text)} as {sql_name(text)}")
    assert (found.columns, found.first()[0]) == ([text], text)


def test_table_csv_and_repeated_names(
    spark: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = EmbeddedQueries.__new__(EmbeddedQueries)
    lake.spark, lake.wait_seconds = spark, 1.0
    monkeypatch.setattr(printing, "MAX_ROWS", 3)
    for count, last in ((3, "3 rows"), (4, "the first 3 rows: --format csv or json prints all")):
        print_result(lake.run(f"select id from range({count})"), "table")
        lines = capsys.readouterr().out.splitlines()
        assert (lines[-1], len(lines)) == (last, 6)
    query = f"select 1 as a, '{'x' * 300}' as a, cast(null as string) as n, '[b]' as m"
    print_result(lake.run(query), "csv")
    assert capsys.readouterr().out == f"a,a_2,n,m\n1,{'x' * 300},,[b]\n"
    print_result(lake.run(query), "table")
    lines = capsys.readouterr().out.splitlines()
    assert ("x" * 300 in lines[2], "[b]" in lines[2], lines[-1]) == (True, True, "1 row")
    with pytest.raises(UserError) as error:
        lake.run("select * from nowhere")
    assert "`nowhere` cannot be found" in str(error.value)
    assert "\n" not in str(error.value)


def test_names_that_differ_in_case(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lake = EmbeddedQueries.__new__(EmbeddedQueries)
    lake.spark, lake.wait_seconds = spark, 1.0
    query = "select 1 as a, map('k', 2) as A, 3 as `_0`"
    printed = {}
    for style in ("json", "csv", "table"):
        print_result(lake.run(query), style)
        printed[style] = capsys.readouterr().out
    assert printed["json"] == '{"a":1,"A":{"k":2},"_0":3}\n'
    assert printed["csv"] == 'a,A,_0\n1,"{""k"":2}",3\n'
    assert printed["table"].split()[:3] == ["a", "A", "_0"]


def test_csv_fields_that_need_quotes() -> None:
    cells = ["a\nb", "c\r", "d,e", 'f"', "", None, "g"]
    assert rows.csv_line(cells) == '"a\nb","c\r","d,e","f""","",,g'


def test_errors_without_plans() -> None:
    text = "[X] It is wrong. SQLSTATE: 1; line 1 pos 14;\n'Project [*]\n+- 'Unresolved\n"
    assert str(sql_error(ValueError(text))) == "[X] It is wrong. SQLSTATE: 1; line 1 pos 14"


def test_errors_of_a_server_are_as_those_of_a_session() -> None:
    text = "[X] It isn't \"right\"; line 1 pos 14;\n'Project [*]\n+- 'Unresolved\n"
    status = TStatus(statusCode=3, errorMessage=f"Error running query: [X] org.a.B: {text}")
    error = OperationalError(TExecuteStatementResp(status=status))
    assert str(sql_error(error)) == '[X] It isn\'t "right"; line 1 pos 14'


@pytest.fixture
def counted(spark: Any) -> Any:
    """An empty state table with deletion vectors, and its view; both are dropped afterwards.

    Beside them are a snapshot and a mart, which a person might have created.
    """
    for schema in ("state", "current", "history", "aa_mart"):
        spark.sql(f"create schema if not exists {schema}")
    spark.sql(
        "create table state.count__me (id int) using delta tblproperties"
        " ('delta.enableDeletionVectors' = 'true', 'delta.checkpointInterval' = '4')"
    )
    spark.sql("create view current.count__me as select * from state.count__me")
    own = ("history.snap", "aa_mart.mine")
    for name in own:
        spark.sql(f"create table {name} using delta as select 1 as id")
    yield "state.count__me"
    for name in own:
        spark.sql(f"drop table {name}")
    spark.sql("drop schema aa_mart")
    spark.sql("drop view current.count__me")
    spark.sql("drop table state.count__me")


@pytest.mark.thorough
def test_tables_are_listed_with_the_rows_that_their_logs_say(
    spark: Any, counted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = EmbeddedQueries.__new__(EmbeddedQueries)
    lake.spark, lake.wait_seconds = spark, 1.0
    statements = [
        "insert into {} select id from range(0, 100, 1, 2)",
        "delete from {} where id in (1, 2, 70)",
        "delete from {} where id in (3, 71)",
        "insert into {} values (1000)",
        # after the first checkpoint
        "delete from {} where id = 4",
        "update {} set id = id + 1 where id > 990",
        "optimize {}",
        "delete from {} where id >= 50",
        "insert overwrite {} values (1), (2)",
    ]
    listed: list[dict[str, Any]] = []
    for statement in statements:
        spark.sql(statement.format(counted))
        (exact,) = spark.sql(f"select count(*) from {counted}").first()
        print_result(lake.tables(), "json")
        listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        found = {
            (one["schema"], one["stored_rows"]) for one in listed if one["relation"] == "count__me"
        }
        assert found == {("state", exact), ("current", exact)}, statement
    (place,) = spark.sql(f"describe detail {counted}").select("location").first()
    # From the commit: Delta's history uses the file's time, which is a moment later.
    newest = max(Path(place.removeprefix("file:"), "_delta_log").glob("*.json")).read_text()
    (said_at,) = (
        one["commitInfo"]["timestamp"]
        for one in map(json.loads, newest.splitlines())
        if "commitInfo" in one
    )
    last = datetime.datetime.fromtimestamp(said_at / 1000, datetime.timezone.utc)
    (line,) = (one for one in listed if (one["schema"], one["relation"]) == ("state", "count__me"))
    assert line["newest_commit"] == last.strftime("%Y-%m-%dT%H:%M:%SZ")
    print_result(lake.tables(), "csv")
    said = capsys.readouterr().out
    assert said.startswith("schema,relation,stored_rows,newest_commit\n")
    assert "\ncurrent,count__me,2,2" in said
    assert "\nhistory,snap,1,2" in said and "\naa_mart,mine,1,2" in said
    assert said.index("aa_mart") > said.index("history,snap")
    with pytest.raises(UserError) as error:
        lake.run("select * from current.me")
    assert str(error.value) == (
        "the table or view `current`.`me` cannot be found: did you mean current.count__me"
        " or state.count__me?"
    )


def test_the_events_of_formats_without_a_feed_are_not_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [("silver", "canal_events"), ("silver", "change_events"), ("silver", "maxwell_events")]
    log = tmp_path / "silver.db" / "canal_events" / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020d}.json").write_text('{"commitInfo":{"timestamp":0}}\n')
    monkeypatch.setattr(relations, "warehouse", lambda _: tmp_path)
    # what has no checkpoint needs no Spark
    no_spark: Any = None
    _, lines = relations.lake_tables(no_spark, names)
    assert [(one["relation"], one["stored_rows"]) for one in map(json.loads, lines)] == [
        ("canal_events", 0), ("change_events", None)
    ]  # fmt: skip


def test_only_a_relation_that_is_not_there_gets_other_names() -> None:
    error = UserError("[UNRESOLVED_COLUMN] A column `me` cannot be resolved.")
    assert with_near_names(error, lambda: [("current", "me")]) is error
    error = UserError("[TABLE_OR_VIEW_NOT_FOUND] The table or view `a`.`b` cannot be found. X")
    for known in (list, lambda: [][0]):
        assert str(with_near_names(error, known)) == (
            "the table or view `a`.`b` cannot be found: scripts/sql.py --tables lists all"
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tables", "select 1"], "give either statements or --tables, not both"),
        (["--file", "none.sql"], "--file none.sql cannot be read: No such file or directory"),
        (["--target", "cluster", "select 1"], "CHANGELAKE_THRIFT_HOST is not set, and the Thrift"),
    ],
)
def test_what_the_command_line_has_wrong(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.delenv("CHANGELAKE_THRIFT_HOST", raising=False)
    monkeypatch.setitem(sys.modules, "pyhive", None)
    with socket.socket() as closed:
        # bound, but not listening
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("CHANGELAKE_THRIFT_PORT", str(closed.getsockname()[1]))
        monkeypatch.syspath_prepend(str(SCRIPTS))
        script = runpy.run_path(str(SCRIPTS / "sql.py"))
        done = CliRunner().invoke(script["app"], arguments)
    assert done.exit_code == 1
    assert done.output.startswith(f"error: {message}") and done.output.count("\n") == 1
