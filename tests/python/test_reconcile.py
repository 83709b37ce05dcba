"""Current tables compared with files, the rows of monitoring and dbt's test, and refusals."""

import datetime
import hashlib
import runpy
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from changelake.build.dbt import Build, parse
from changelake.build.declared_tables import declared_tables
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.reconcile import progress
from changelake.reconcile.compare import Difference
from changelake.reconcile.databases import DRIVERS, database_of, jdbc_options, scheme_of
from changelake.reconcile.model import Model, check_name, model_of
from changelake.reconcile.progress import Progress
from changelake.reconcile.results import write_differences
from changelake.reconcile.texts import kind_of
from processes import SCRIPTS
from reconciled import FEED, MILLIS, ReconciledLake

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
SMALL = ("0", "0.0000001", "-0.0000001", "-1234567890123456789012345678", "0.5")
MOMENTS = {"d": "date", "n": "timestamp_ntz", "t": "timestamp"}
HOUR = 3_600_000
CELLS = f'"",{LONG},2026-03-01T08:00:00.123456,2026-03-01T08:00:00.000000Z,0.1,true,AP8=,10:00:00.5'


@pytest.fixture(scope="module")
def made(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> ReconciledLake:
    """The built lake."""
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
    lake.declare("small", {"id": "int", "a": "decimal(38,10)", "b": "decimal(38,7)"}, key=["id"])
    lake.land("small", *({"id": str(i), "a": one, "b": one} for i, one in enumerate(SMALL)))
    lake.declare("moments", {"id": "int", **MOMENTS}, key=["id"])
    moment = {"d": "2026-01-01", "n": "2026-01-01 00:00:00", "t": "2026-01-01 00:00:00"}
    lake.land("moments", *({"id": str(number), **moment} for number in range(7)))
    lake.declare("hidden", {"id": {"type": "string", "mask": "hash"}}, key=["id"])
    lake.land("hidden", {"id": "1"})
    lake.declare("past", {"id": "int", "v": "string"}, key=["id"])
    lake.declare_history("past")
    lake.land("past", {"id": "1", "v": "a"}, {"id": "2", "v": "b"})
    lake.land("past", {"id": "1", "v": "c"}, kind="UPDATE", millis=MILLIS + HOUR)
    lake.land("past", {"id": "2", "v": "b"}, kind="DELETE", millis=MILLIS + 2 * HOUR)
    declare_test(project, "{days: 0.5}")
    lake.build()
    return lake


def write(directory: Path, name: str, *lines: str) -> str:
    """Write a file and return its path."""
    file = directory / name
    file.write_text("".join(f"{line}\n" for line in lines))
    return str(file)


def declare_test(project: Path, arguments: str) -> None:
    """Add dbt's test to a current model."""
    (project / "models" / "current" / "files.yml").write_text(
        "version: 2\nmodels:\n- name: files\n  data_tests:\n  - is_reconciled:\n"
        f"      arguments: {arguments}\n"
    )


def is_reconciled(made: ReconciledLake) -> bool:
    """Run dbt's test, and return whether it passes."""
    built = Build(made.spark, "local", lambda _: None).invoke(
        "test", "--select", "files,test_name:is_reconciled"
    )
    (node,) = (one for one in built.nodes if one.kind == "test")
    assert node.status in ("pass", "fail"), node.message
    return node.status == "pass"


def test_a_file_and_what_dbt_says_of_it(made: ReconciledLake, tmp_path: Path) -> None:
    # not compared yet
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
    assert "differences.jsonl has all, --limit 20 shows more" in said.text
    assert "\n5 differences: name 1, total 1, raw 1, extra 1, missing 1\n" in said.text
    assert "different: 3 rows differ" in said.text
    assert not is_reconciled(made)

    rows = made.spark.table("monitoring.reconciliations").orderBy("at").collect()
    assert [(row.relation, row.rows_here, row.rows_there, row.differing_rows) for row in rows] == [
        ("files", 3, 3, 0), ("files", 3, 3, 3)
    ]  # fmt: skip
    assert rows[-1].source == file and rows[-1].undecided_rows == 0
    # A column that is missing in the file makes no difference, and counts as not compared.
    less = [line.rpartition(",")[0] for line in equal]
    said = made.reconcile("--table", "files", "--file", write(tmp_path, "c.csv", *less))
    assert said.code == 0 and "not compared: clock: not at the source" in said.text, said.text
    assert not is_reconciled(made)
    declare_test(made.project, "{days: 0.5, ignore: [clock]}")
    assert is_reconciled(made)
    # The comparison is too old.
    made.spark.sql("delete from monitoring.reconciliations where differing_rows > 0")
    assert is_reconciled(made)
    made.spark.sql("update monitoring.reconciliations set at = at - interval 13 hours")
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


def test_small_decimals(made: ReconciledLake, tmp_path: Path) -> None:
    # ANSI mode is off after dbt has configured the session.
    assert made.spark.conf.get("spark.sql.ansi.enabled") == "false"
    lines = [f"{number},{one},{one}" for number, one in enumerate(SMALL)]
    said = made.reconcile("--table", "small", "--file", write(tmp_path, "a.csv", "id,a,b", *lines))
    assert said.code == 0, said.text
    lines[1] = "1,0.0000001,0.0000002"
    said = made.reconcile("--table", "small", "--file", write(tmp_path, "a.csv", "id,a,b", *lines))
    (cell,) = said.differences
    assert (cell["column"], cell["here"], cell["there"]) == ("b", "0.0000001", "0.0000002")

    wider = "cast(b as decimal(38,9)) as b"
    made.spark.sql(f"select id, a, {wider} from current.small").coalesce(1).write.parquet(
        str(tmp_path / "written")
    )
    (file,) = (tmp_path / "written").glob("*.parquet")
    said = made.reconcile("--table", "small", "--file", str(file))
    assert said.code == 0, said.text


def test_invalid_dates_and_times_are_differences(made: ReconciledLake, tmp_path: Path) -> None:
    day = "2026-01-01"
    equal = [
        f"0,{day},{day},{day}",
        f"1,{day} 00:00:00,{day}T00:00:00.000,{day}T00:00:00Z",
        f"2,{day}T00:00:00.0,{day} 00:00,{day} 01:00:00+01",
        *(f"{number},{day},{day},{day} 01:00:00 Europe/Berlin" for number in (3, 4, 5, 6)),
    ]
    said = made.reconcile(
        "--table", "moments", "--file", write(tmp_path, "a.csv", "id,d,n,t", *equal)
    )
    assert said.code == 0, said.text
    other = [
        *equal[:3],
        "3,2026,2026,2026",
        "4,2026-01,2026-01,2026-01",
        f"5,{day} 10:00:00,{day}T00:00:00+05:00,{day} BC",
        f"6,{day} BC,{day}T00:00:00Z,{day} 00:00:00.0000001",
    ]
    said = made.reconcile(
        "--table", "moments", "--file", write(tmp_path, "b.csv", "id,d,n,t", *other)
    )
    assert said.cells("id") == {("cell", key, name) for key in "3456" for name in MOMENTS}


@pytest.mark.parametrize(
    ("at", "rows", "code"),
    [
        # A version includes the moment when it begins.
        ("2026-03-01T08:00:00", ["1,a", "2,b"], 0),
        ("2026-03-01T09:59:59.999999+01:00", ["1,a", "2,b"], 0),
        ("2026-03-01T09:00:00Z", ["1,c", "2,b"], 0),
        ("2026-03-01T09:00:00Z", ["1,a", "2,b"], 5),
        ("2026-03-01T07:59:59.999999", [], 0),
        # No later message shows whether everything committed before this has arrived.
        ("2026-03-01T10:00:00", ["1,c"], 0),
        ("2026-03-01T10:00:00", ["1,c", "2,b"], 6),
    ],
)
def test_a_file_of_an_earlier_moment(
    made: ReconciledLake, tmp_path: Path, at: str, rows: list[str], code: int
) -> None:
    file = write(tmp_path, "a.csv", "id,v", *rows)
    said = made.reconcile("--table", "past", "--file", file, "--at", at, "--wait", "0")
    assert said.code == code, said.text
    assert said.text.startswith(f"history.past against {file}")
    # Of two comparisons for the same moment, only the later one is kept.
    kept = made.spark.table("monitoring.reconciliations").where("relation = 'past'")
    assert kept.count() == kept.select("at").distinct().count()


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
    # The key is the same, but spelled differently.
    assert [(one["column"], one["here"], one["there"]) for one in said.differences] == [
        ("n", "(no value has come)", None), ("id", "Ab", "aB")
    ]  # fmt: skip
    # The advice is printed once, not once per row.
    assert said.text.count("(no value has come): no message of the row has held the column") == 1
    assert "2 rows here, 2 in the file" in said.text


def test_what_sql_py_adds_to_an_export_is_not_named(made: ReconciledLake, tmp_path: Path) -> None:
    header = "id,v,_feed,_kafka_topic,_kafka_offset,_committed_at,_undecodable,_other"
    file = write(tmp_path, "a.csv", header, "1,c,f,t,0,x,,")
    said = made.reconcile("--table", "past", "--file", file)
    assert said.code == 0, said.text
    named = [line for line in said.text.splitlines() if line.startswith("not compared")]
    assert named == ["not compared: _other: not declared here"]
    file = write(tmp_path, "b.csv", "a,b,_row_count", "1,x,2", "2,y,1")
    said = made.reconcile("--table", "bag", "--file", file)
    assert "not compared: _row_count: not declared here" in said.text


def test_refusals(made: ReconciledLake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path, "a.csv", HEADER, f"1,{CELLS}", f"1,{CELLS}")
    unknown = "there is no current model of that name:"
    short = write(tmp_path, "b.csv", "name", "x")
    other = write(tmp_path, "c.csv", "z", "x")
    named = write(tmp_path, "a[1].csv", HEADER)
    hidden = write(tmp_path, "_a.csv", HEADER)
    more = write(tmp_path, "d.csv", "a,b", "1,x,y")
    empty, semicolons = write(tmp_path, "e.csv"), write(tmp_path, "f.csv", "a;b", "1;x")
    broken = write(tmp_path, "a.jsonl", '{"a": 1, "b": "x"}', '{"a": 1')
    for arguments, message in (
        (("files",), "give either --jdbc or --file"),
        (("files", "--file", file, "--jdbc", "jdbc:mysql:x"), "give either --jdbc or --file"),
        (("files", "--jdbc", "jdbc:mysql:x", "--at", "2026-03-01"), "--at goes with --file: a"),
        (("past", "--file", file, "--at", "soon"), "--at soon: write a moment such as 2026-03-01T"),
        (("files", "--file", file, "--at", "2026-03-01"), "--at reads the table's history, and fi"),
        (("files", "--file", file, "--user", "u"), "--source-table and --user go with --jdbc"),
        (("file", "--file", file), f"--table file: {unknown} did you mean current.files?"),
        (("zzz", "--file", file), f"--table zzz: {unknown} scripts/sql.py --tables lists all"),
        (("files", "--file", f"{file}.gz"), f"--file {file}.gz: there is no such file"),
        (("files", "--file", write(tmp_path, "a.txt", "x")), f"--file {tmp_path}/a.txt: write a"),
        (("files", "--file", file), f"{file} has 2 rows with the same key (id = 1): the"),
        (("files", "--file", short), "files cannot be compared: id of its key: not at the source"),
        (("bag", "--file", other), "bag and the source have no column in common"),
        (("hidden", "--file", file), "hidden cannot be compared: id of its key: masked here"),
        (("sharded", "--file", file), "sharded is made of several source tables, which --file"),
        (("files", "--file", named), f"--file {named}: Spark reads no file of that name: rename"),
        (("files", "--file", hidden), f"--file {hidden}: Spark reads no file of that name: rename"),
        (("bag", "--file", more), f"--file {more}, line 2: 3 fields, where the header has 2"),
        (("bag", "--file", empty), f"--file {empty} is empty: its first line has to name the col"),
        (("bag", "--file", semicolons), f"--file {semicolons} has ';' between its columns: write"),
        (("bag", "--file", broken), f'{broken} has a line that is not a JSON object: {{"a": 1'),
        (("files", "--jdbc", "jdbc:derby:x"), "--jdbc: write a URL that begins with one of jdbc:m"),
        (("files", "--jdbc", "jdbc:mysql://h/?password=x"), "--jdbc has a password in its URL"),
        (("files", "--file", file, "--target", "cluster"), "this command does not support"),
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


def test_an_unknown_table_is_refused_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "REPO", tmp_path)
    for name in ("current/a/shop__orders", "current/samples/lab__orders", "silver/feeds_seen"):
        file = tmp_path / "models" / f"{name}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    # of which only the manifest tells whether it is a current table
    for name in ("shop__orders", "current.shop__orders", "feeds_seen"):
        check_name(name, "local")
    unknown = "there is no current model of that name:"
    for name, target, message in (
        ("orders", "local", f"{unknown} did you mean current.shop__orders?"),
        ("orders", "sample", "did you mean current.shop__orders or current.lab__orders?"),
        ("shop__order", "local", "did you mean current.shop__orders?"),
        ("zzz", "local", f"{unknown} scripts/sql.py --tables lists all"),
    ):
        with pytest.raises(UserError, match=f"^--table {name}: .*") as error:
            check_name(name, target)
        assert str(error.value).endswith(message)
    app = runpy.run_path(str(SCRIPTS / "reconcile.py"))["app"]
    file = write(tmp_path, "a.csv", "id")
    done = CliRunner().invoke(app, ["--table", "zzz", "--file", file])
    assert (done.exit_code, done.output.count("\n")) == (1, 1)
    assert done.output.startswith("error: --table zzz: there is no current model")


@pytest.mark.parametrize("option", ["--lag", "--wait"])
def test_what_would_do_nothing_is_refused(option: str) -> None:
    app = runpy.run_path(str(SCRIPTS / "reconcile.py"))["app"]
    done = CliRunner().invoke(app, ["--table", "t", "--file", "t.csv", option, "0"])
    assert done.exit_code == 1
    assert done.output.startswith("error: --lag and --wait go with --jdbc or --at: a file without")
    # a file of a moment waits for the lake
    done = CliRunner().invoke(app, ["--table", "t", "--file", "t.csv", "--at", "now", option, "0"])
    assert done.output.startswith("error: --at now: write a moment")


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:oracle:thin:scott/geheim@//db:1521/x",
        "jdbc:mysql://root:geheim@db/shop",
        "jdbc:sqlserver://db:1433;user=a;password = geheim",
        "jdbc:sqlserver://db:1433;accessToken=geheim",
        "jdbc:db2://h/x:user=a;password=geheim;",
        "postgresql://root:geheim@db/shop",
        "jdbc:unknown:root/geheim",
    ],
)
def test_a_password_in_a_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UserError) as error:
        scheme_of(url)
    assert "geheim" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:oracle:thin:@//db:1521/x",
        "jdbc:oracle:thin:@tcps://db:1521/x",
        "jdbc:mariadb://db:3306/shop?user=a@b",
        "jdbc:postgresql://[::1]:5432/shop",
        "jdbc:sqlserver://db:1433;databaseName=shop",
    ],
)
def test_a_url_without_a_password_is_taken(url: str) -> None:
    assert url.startswith(f"jdbc:{scheme_of(url)}:")


def test_a_database_is_asked_as_it_and_spark_take_it() -> None:
    # Oracle refuses an empty statement. SQL Server refuses an `order by` within the parentheses
    # that Spark puts around a query.
    for scheme in DRIVERS:
        options = jdbc_options(scheme, f"jdbc:{scheme}:x")
        assert options.get("sessionInitStatement") != ""
        assert "order by" not in database_of(scheme).columns
    assert "sessionInitStatement" in jdbc_options("mysql", "jdbc:mysql:x")


def test_how_far_the_lake_has_come(made: ReconciledLake, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of("files", declared_tables(parse("local")), made.spark)
    held: list[bool] = []

    @contextmanager
    def hold(spark: Any) -> Generator[None]:
        with hold_catalog(spark):
            held.append(True)
            yield
            held.pop()

    def collect(frame: Any) -> Any:
        assert not held, "a run waits for it"
        return collected(frame)

    hold_catalog, frames = progress.hold_catalog, type(made.spark.range(1))
    collected = frames.collect
    monkeypatch.setattr(progress, "hold_catalog", hold)
    monkeypatch.setattr(frames, "collect", collect)
    row = {"id": "1", **ROW}
    hour = datetime.timedelta(hours=1)

    def moment() -> datetime.datetime:
        return datetime.datetime.now(datetime.timezone.utc)

    def land(at: datetime.datetime) -> None:
        made.land("files", row, kind="UPDATE", millis=int(at.timestamp() * 1000))

    def has_passed(lag: float | None = None) -> bool:
        return Progress(made.spark, model, lag).has_passed(began, began + hour)

    # The feed's other topic is idle, but it is not one of the table's topics.
    made.land("still", {"id": "1"}, topic="still")
    # The source's clock is ahead.
    land(moment() + hour)
    made.build()
    began = moment()
    assert not has_passed() and not has_passed(3601)
    # A promise that nothing arrives more than an hour late.
    assert has_passed(3600)
    # As in a lake whose path does not allow watermarks.
    key = f"changelake.{hashlib.md5(model.meta['state'].encode()).hexdigest()}"
    made.spark.sql(f"alter schema state set dbproperties ('{key}' = 'none')")
    assert has_passed(3600)
    # It has landed but is not built.
    land(moment() + hour)
    assert not has_passed() and not has_passed(3600)
    made.build()
    assert has_passed()
    # Events without a row's change show it, too; the row of a snapshot does not.
    for operation, tells in (("null", True), ("'snapshot'", False)):
        made.spark.sql(f"update silver.canal_events set operation = {operation}"
                       f" where landed_at > timestamp'{began:%Y-%m-%d %H:%M:%S.%f}'")  # fmt: skip
        assert has_passed() == tells


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


def test_kinds_that_are_not_compared() -> None:
    # `true` against `1`
    assert kind_of("tinyint", "boolean") is None and kind_of("string", "boolean") is None


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


def test_a_key_means_the_same_column_as_in_the_build() -> None:
    columns = {"c2": {"type": "int", "source": ["c2", "c"]}, "c": "int", "d": "int"}
    meta: Any = {"key": ["c", "d"], "columns": columns}
    # A column's current name takes precedence over another's former name, see key_of_table().
    assert Model("t", meta, {}).key == ["c", "d"]
    with pytest.raises(UserError, match="the key of t names x, which no column has"):
        _ = Model("t", meta | {"key": ["x"]}, {}).key
