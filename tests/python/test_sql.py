"""What `sql.py` prints of Spark's values."""

import json
from typing import Any

import pytest

from changelake import rows
from changelake.errors import UserError
from changelake.quoting import sql_name, sql_string
from changelake.sql import EmbeddedLake, print_result, sql_error

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


def test_table_csv_and_repeated_names(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    lake = EmbeddedLake.__new__(EmbeddedLake)
    lake.spark, lake.wait_seconds = spark, 1.0
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
    lake = EmbeddedLake.__new__(EmbeddedLake)
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
