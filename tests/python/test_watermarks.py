"""A plain dbt build does not query tables without new events."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from bronze_rows import AT, append_to_bronze, bronze_row
from canal import canal_message
from changelake.build import states
from changelake.build.dbt import Build
from changelake.build.report import BuildResult
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from compiled_text import compiled_text

pytestmark = pytest.mark.e2e

FEED, TOPIC = "shop", "marks"
MODELS = ("marks__a", "marks__b", "marks__b__history")
COLUMNS = [SourceColumn("id", "bigint", True), SourceColumn("v", "varchar(9)", False)]


def watermark_key(name: str) -> str:
    """Return the property that holds a table's watermark, like the macro of the same name."""
    return f"changelake.{hashlib.md5(name.encode()).hexdigest()}"


class Marks:
    """Two tables, one of them with a history, and the statements of a dbt run about them."""

    def __init__(self, spark: Any, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.spark, self.models = spark, project / "models" / "current" / "marks"
        self._histories = project / "models" / "history" / "marks"
        self._monkeypatch = monkeypatch
        self._offset = 0
        for name in ("a", "b"):
            self.declare(name, COLUMNS)
        write_history(self._table("b", COLUMNS), self._histories)

    def declare(self, name: str, columns: list[SourceColumn]) -> None:
        """Write the model of a table."""
        write_table(self._table(name, columns), self.models)

    def _table(self, name: str, columns: list[SourceColumn]) -> SourceTable:
        return SourceTable(FEED, "canal", "mysql", "marks", None, name, columns, ["id"])

    def insert(
        self, table: str, *ids: str | None, partition: int = 0, kind: str = "INSERT"
    ) -> None:
        """Land a row for each id, and parse the rows."""
        data = [{"id": one, "v": "x"} for one in ids]
        self._land(canal_message(kind, "marks", table, 1_700_000_000_000, data), partition)

    def truncate(self, table: str) -> None:
        """Land a truncation and parse it."""
        sql = f"truncate table {table}"
        self._land(canal_message("TRUNCATE", "marks", table, 1_700_000_001_000, sql=sql), 0)

    def _land(self, value: dict[str, Any], partition: int) -> None:
        row = bronze_row(FEED, TOPIC, partition, self._offset, AT, json.dumps(value).encode())
        self._offset += 1
        append_to_bronze(self.spark, "canal", [row])
        self.run("canal_events")

    def parse_elsewhere(self, id_: str) -> None:
        """Add a row's event to the table of events, as another process would."""
        events = self.spark.table("silver.canal_events")
        last = events.where("table_name = 'a' and operation = 'insert'").orderBy(
            "parse_batch", ascending=False
        )
        row = last.limit(1).selectExpr(
            *(one for one in events.columns if one not in ("after", "parse_batch", "kafka_offset")),
            f"map('id', '{id_}', 'v', 'x') as after",
            "parse_batch + 1 as parse_batch",
            f"bigint({self._offset}) as kafka_offset",
        )
        self._offset += 1
        row.select(events.columns).write.mode("append").insertInto("silver.canal_events")

    def invoke(self, command: str, *options: str) -> tuple[BuildResult, list[str]]:
        """Run a dbt command, and return its result and the statements that it ran."""
        said: list[str] = []
        sql = SparkSession.sql

        def noted(session: Any, statement: str, *arguments: Any, **named: Any) -> Any:
            said.append(statement)
            return sql(session, statement, *arguments, **named)

        with self._monkeypatch.context() as patch:
            patch.setattr(SparkSession, "sql", noted)
            done = Build(self.spark, "local", lambda node: None).invoke(command, *options)
        return done, said

    def run(self, *models: str, options: tuple[str, ...] = ()) -> set[str]:
        """Run models, and return those whose state tables occur in a statement."""
        done, said = self.invoke("run", "--select", *models, *options)
        assert [(node.name, node.message) for node in done.failed] == []
        text = "\n".join(said) + "\n"
        return {one for one in MODELS if f"state.{one}\n" in text.replace(" ", "\n")}

    def properties(self, name: str) -> dict[str, str]:
        """Return the properties in which a table of the schema `state` records how it was built."""
        return {
            key.removeprefix("changelake."): bytes.fromhex(value).decode()
            for key, value in self.shown_properties(name).items()
            if key.startswith("changelake.")
        }

    def shown_properties(self, name: str) -> dict[str, str]:
        """Return all properties of a table of the schema `state`, as Spark shows them."""
        return dict(map(tuple, self.spark.sql(f"show tblproperties state.{name}").collect()))

    def make_earlier(self, name: str, without: str = "") -> None:
        """Give a table the properties that version 2 wrote, and optionally drop a column."""
        kept = {**self.properties(name), "version": "2"}
        seen = kept.keys() - {"version", "events", "declaration"}
        for key in seen:
            self.spark.sql(f"alter table state.{name} unset tblproperties ('changelake.{key}')")
        if without:
            rest = f"select * except ({without}) from state.{name}"
            self.spark.sql(f"create or replace table state.{name} using delta as {rest}")
        plain = ", ".join(
            f"'changelake.{key}' = '{value}'" for key, value in kept.items() if key not in seen
        )
        self.spark.sql(f"alter table state.{name} set tblproperties ({plain})")

    def rows(self, name: str) -> int:
        """Return the number of rows in a current table."""
        return int(self.spark.table(f"current.{name}").count())

    def remove(self) -> None:
        """Remove the models."""
        for folder in (self.models, self._histories):
            for file in folder.iterdir():
                file.unlink()


@pytest.fixture(scope="module")
def marks(spark: Any, project: Path) -> Iterator[Marks]:
    """The tables, which have been built once."""
    ensure_bronze(spark)
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = Marks(spark, project, monkeypatch)
        seeds = ("seed", "--select", "operation_codes", "feeds", "source_types")
        assert not Build(spark, "local", lambda node: None).invoke(*seeds).failed
        made.insert("a", "1", "2")
        made.insert("b", "1")
        assert made.run(*MODELS) == set(MODELS)
        yield made
        made.remove()


def test_a_table_without_pending_events_is_not_asked(marks: Marks) -> None:
    assert marks.run(*MODELS) == set()
    marks.insert("b", "2")
    assert marks.run(*MODELS) == {"marks__b", "marks__b__history"}
    assert marks.run(*MODELS) == set()
    assert (marks.rows("marks__a"), marks.rows("marks__b")) == (2, 2)


def test_what_was_not_selected_stays_pending(marks: Marks) -> None:
    marks.insert("b", "3")
    assert marks.run("marks__b") == {"marks__b"}
    assert marks.run(*MODELS) == {"marks__b__history"}


def test_a_model_compiles_to_the_select_that_its_run_merges(marks: Marks, project: Path) -> None:
    marks.run(*MODELS)
    marks.insert("b", "7")
    places = {name: f"current/marks/{name}.sql" for name in MODELS[:2]}
    places[MODELS[2]] = f"history/marks/{MODELS[2]}.sql"

    def compiled(command: str) -> dict[str, str]:
        done, _ = marks.invoke(command, "--select", *MODELS)
        assert not done.failed
        root = project / "target" / "compiled" / "changelake" / "models"
        return {name: (root / place).read_text() for name, place in places.items()}

    shown = compiled("compile")
    keys = {name: marks.spark.sql(text).select("_key").collect() for name, text in shown.items()}
    assert {name: [key for (key,) in found] for name, found in keys.items()} == {
        "marks__a": [], "marks__b": ["1:7"], "marks__b__history": ["1:7"],
    }  # fmt: skip
    # Compiling changes nothing: the run merges exactly this, and does not query tables without new
    # events.
    run = compiled("run")
    assert (run["marks__b"], run["marks__b__history"]) == (
        shown["marks__b"], shown["marks__b__history"],
    )  # fmt: skip
    assert run["marks__a"].splitlines()[-1] == "-- nothing has come since the table's last run"
    assert marks.run(*MODELS) == set()


@pytest.mark.thorough
def test_keys_that_a_merge_keeps_apart_are_not_compared(marks: Marks) -> None:
    marks.run(*MODELS)

    def tested(command: str, expected: str, all_keys: bool = False) -> None:
        done, asked = marks.invoke(command, "--select", "marks__a")
        (test,) = (node for node in done.nodes if node.kind == "test")
        asks_all = any("count(*) as rows_of_key" in one for one in asked)
        assert (test.status, asks_all, test.tested) == (expected, all_keys, ("marks__a",))

    tested("build", "pass")
    marks.insert("a", "4", None)
    tested("build", "fail")
    tested("build", "fail")
    tested("test", "fail", all_keys=True)
    marks.insert("a", None, kind="DELETE")
    tested("build", "pass")
    tested("test", "pass", all_keys=True)
    # If a table's test failed when it was built, its keys may not be distinct.
    key = watermark_key("marks__a")
    marks.spark.sql(f"alter schema state set dbproperties ('{key}' = 'none')")
    marks.spark.sql("insert into state.marks__a select * from state.marks__a where id = 1")
    tested("build", "fail", all_keys=True)
    tested("build", "fail", all_keys=True)
    marks.run("marks__a", options=("--full-refresh",))
    tested("build", "pass")


@pytest.mark.parametrize(
    ("statement", "options", "is_before"),
    [
        ("merge into state.marks__a", (), True),
        pytest.param(
            "create or replace table state.marks__a",
            ("--full-refresh",),
            False,
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_what_another_process_adds_meanwhile_is_of_the_next_run(
    marks: Marks,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
    options: tuple[str, ...],
    is_before: bool,
) -> None:
    """Events that the run has not counted may need steps that its statement lacks."""
    marks.run("marks__a")
    before = marks.rows("marks__a")
    marks.insert("a", f"{before + 100}")
    sql = SparkSession.sql
    added: list[int] = []

    def noted(session: Any, text: str, *arguments: Any, **named: Any) -> Any:
        is_it = statement in text and not added
        if is_it:
            added.append(1)
        if is_it and is_before:
            marks.parse_elsewhere(f"{before + 200}")
        done = sql(session, text, *arguments, **named)
        if is_it and not is_before:
            marks.parse_elsewhere(f"{before + 200}")
        return done

    with monkeypatch.context() as patch:
        patch.setattr(SparkSession, "sql", noted)
        built = Build(marks.spark, "local", lambda node: None).invoke(
            "run", "--select", "marks__a", *options
        )
    assert not built.failed and added
    assert marks.rows("marks__a") == before + 1
    assert marks.run("marks__a") == {"marks__a"}
    assert marks.rows("marks__a") == before + 2


@pytest.mark.thorough
def test_what_a_killed_run_could_not_note_builds_no_table_anew(marks: Marks) -> None:
    """The properties of a table of events are written after its rows."""
    names = ("changelake_compacted_at", "changelake_built_at")
    marks.spark.sql(f"alter table silver.canal_events unset tblproperties {names}")
    # Delta's id of the table differs from the recorded one.
    assert marks.run(*MODELS) == set(MODELS)
    marks.insert("a", "300")
    done, said = marks.invoke("run", "--select", *MODELS)
    assert not done.failed
    assert [one for one in said if "create or replace table state." in one] == []
    assert any("merge into state.marks__a" in one for one in said)


@pytest.mark.thorough
def test_a_capital_letter_in_a_models_name_builds_no_table_anew(marks: Marks) -> None:
    """Spark lists names in lower case."""
    marks.declare("d", COLUMNS)
    files = [file.rename(file.with_stem("Marks__D")) for file in marks.models.glob("marks__d.*")]
    for file in files:
        file.write_text(file.read_text().replace("name: marks__d", "name: Marks__D"))
    try:
        for number in range(2):
            marks.insert("d", str(number))
            done, said = marks.invoke("run", "--select", "Marks__D")
            assert [node.message for node in done.failed] == []
            made = [one for one in said if "create or replace table state." in one]
            assert len(made) == (number == 0)
        assert marks.rows("Marks__D") == 2
    finally:
        for file in files:
            file.unlink()


def test_a_table_without_events_is_shown_and_says_what_it_lacks(
    marks: Marks, project: Path
) -> None:
    table = SourceTable("none", "debezium", "mysql", "marks", None, "c", COLUMNS, ["id"])
    write_table(table, marks.models)
    model = table.relation
    try:
        done, _ = marks.invoke("compile", "--select", model)
        assert not done.failed
        shown = project / "target/compiled/changelake/models/current/marks" / f"{model}.sql"
        assert "as time_zone" in shown.read_text()
        done, _ = marks.invoke("run", "--select", "debezium_events", model)
        ((name, message),) = ((node.name, node.message) for node in done.failed)
        assert name == model
        home = os.environ[settings.HOME_VARIABLE]
        said = f"is made of the feed none, which the lake in {home} does not have: check"
        assert said in message
        file = marks.models / f"{model}.sql"
        file.write_text(file.read_text().replace("ref('debezium_events')", "'debezium_events'"))
        with pytest.raises(UserError, match="gives table_events[(][)] the text debezium_events"):
            marks.invoke("run", "--select", model)
    finally:
        for file in marks.models.glob(f"{model}.*"):
            file.unlink()


def test_a_run_without_events_says_nothing_of_them(marks: Marks) -> None:
    before = marks.rows("marks__a")
    marks.insert("a", "3")
    marks.run("marks__a", options=("--empty",))
    assert marks.run("marks__a") == {"marks__a"}
    assert marks.rows("marks__a") == before + 1


@pytest.mark.parametrize("lost", ["view current.marks__a", "table state.marks__a"])
def test_what_is_lost_is_built_again(marks: Marks, lost: str) -> None:
    marks.run(*MODELS)
    rows = marks.rows("marks__a")
    marks.spark.sql(f"drop {lost}")
    assert marks.run(*MODELS) == {"marks__a"}
    assert marks.rows("marks__a") == rows


def test_another_declaration_is_built(marks: Marks) -> None:
    marks.run(*MODELS)
    marks.declare("a", [*COLUMNS, SourceColumn("w", "int", False)])
    assert marks.run(*MODELS) == {"marks__a"}
    assert "w" in marks.spark.table("current.marks__a").columns
    # A name in another letter case is not a new column, and must not leave a build half done.
    before = marks.properties("marks__a")
    marks.declare("a", [*COLUMNS, SourceColumn("W", "int", False)])
    done, _ = marks.invoke("run", "--select", *MODELS)
    (failed,) = done.failed
    assert failed.name == "marks__a"
    assert "the name of a column of" in failed.message
    assert "was built as w and is declared as W: rebuild the table with" in failed.message
    assert marks.properties("marks__a") == before
    marks.declare("a", [*COLUMNS, SourceColumn("w", "int", False)])
    marks.run(*MODELS)


@pytest.mark.thorough
def test_a_large_table_comes_to_have_deletion_vectors(marks: Marks) -> None:
    marks.run(*MODELS)
    before = marks.rows("marks__a")
    assert "delta.enableDeletionVectors" not in marks.shown_properties("marks__a")
    marks.spark.sql(
        "insert into state.marks__a (_key, _is_deleted, _batch)"
        " select concat('gone ', id), true, 1 from range(50000)"
    )
    marks.insert("a", "1", "8")
    marks.run("marks__a")
    assert marks.shown_properties("marks__a")["delta.enableDeletionVectors"] == "true"
    newest = marks.spark.sql("describe history state.marks__a limit 1").first()
    copied = newest.operationMetrics["numTargetRowsCopied"]
    assert (copied, marks.rows("marks__a")) == ("0", before + 1)


@pytest.mark.thorough
def test_a_large_table_is_noticed(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its run generates code, however little comes."""
    names = {"marks__a", "marks__b__history", "not_built_yet"}
    assert not states.has_large_table(marks.spark, names)
    monkeypatch.setattr(states, "MANY_ROWS", marks.spark.table("state.marks__a").count())
    assert states.has_large_table(marks.spark, names)
    assert not states.has_large_table(marks.spark, {"not_built_yet"})


def test_another_declaration_names_all_tables_to_rebuild(marks: Marks) -> None:
    rebuild = "with dbt build --target local --full-refresh --select"
    model = marks.models / "marks__b.sql"
    before = model.read_text()
    masked = before.replace("'v': 'string'", "'v': {'type': 'string', 'mask': 'null'}")
    assert masked != before
    model.write_text(masked)
    try:
        for name in ("marks__b", "marks__b__history"):
            done, _ = marks.invoke("run", "--select", name)
            said = done.failed[0].message
            assert said.endswith(f": rebuild the tables {rebuild} marks__b marks__b__history")
        marks.run("marks__b", options=("--full-refresh",))
        done, _ = marks.invoke("run", "--select", "marks__b__history")
        assert done.failed[0].message.endswith(f": rebuild the table {rebuild} marks__b__history")
    finally:
        model.write_text(before)
        marks.run("marks__b", "marks__b__history", options=("--full-refresh",))


def test_a_table_as_it_was_says_what_cannot_be_asked(marks: Marks) -> None:
    select = "select id from {{ as_of(ref('marks__b__history'), %s) }}"
    for at in ("2099-01-01", "2099-01-01 08:00:00+08:00", "2099-1-1T08:00"):
        text = compiled_text(select % f"at='{at}'")
        assert marks.spark.sql(text).count() == marks.rows("marks__b")
    for at in ("2001-01-01", "2001-01-01 00:00"):
        assert marks.spark.sql(compiled_text(select % f"at='{at}'")).count() == 0
    # Canal has none.
    with pytest.raises(AssertionError, match="has no positions.*: give `at` or `offsets`"):
        compiled_text(select % "position='mysql-bin.000007:4'")


@pytest.mark.thorough
def test_a_table_of_an_earlier_version_is_asked_what_it_has_seen(marks: Marks) -> None:
    marks.run(*MODELS)
    now = marks.properties("marks__b__history")
    place = json.loads(now["place"])
    assert place == {"kafka_topic": TOPIC, "kafka_partition": 0}
    assert "was_spread" not in now
    marks.make_earlier("marks__b__history")
    marks.insert("b", "7")
    marks.run("marks__b__history")
    assert marks.properties("marks__b__history") == now
    marks.insert("b", "7", partition=1)
    marks.run("marks__b__history")
    assert marks.properties("marks__b__history") == {**now, "was_spread": "true"}
    is_spread = marks.spark.sql(
        "select distinct _is_spread from state.marks__b__history where id = 7"
    ).collect()
    assert [row[0] for row in is_spread] == [True]
    marks.make_earlier("marks__b__history", without="_leaves_key")
    place = f"offsets={{'{TOPIC}': {{0: 0}}}}"
    marks.spark.sql(compiled_text(f"{{{{ as_of(ref('marks__b__history'), {place}) }}}}")).collect()
    marks.insert("b", "7")
    marks.run("marks__b__history")
    assert marks.properties("marks__b__history") == {**now, "was_spread": "true"}
    assert "_leaves_key" in marks.spark.table("state.marks__b__history").columns


@pytest.mark.thorough
def test_a_table_of_an_earlier_version_remembers_its_truncation(marks: Marks) -> None:
    marks.run(*MODELS)
    marks.truncate("b")
    marks.run("marks__b")
    assert marks.rows("marks__b") == 0
    marks.make_earlier("marks__b", without="_is_move")
    # from a lagging partition, and older than the truncation
    marks.insert("b", "9", partition=1)
    marks.run("marks__b")
    assert marks.rows("marks__b") == 0
    assert marks.properties("marks__b")["was_truncated"] == "true"
    assert "_is_move" in marks.spark.table("state.marks__b").columns


@pytest.mark.thorough
def test_a_column_that_is_called_like_a_secret_is_declared_like_others(marks: Marks) -> None:
    # Spark hides properties that contain such a name.
    marks.declare("a", [*COLUMNS, SourceColumn("token", "int", False)])
    assert marks.run("marks__a") == {"marks__a"}
    marks.declare("a", [*COLUMNS, SourceColumn("token", "varchar(9)", False)])
    built, _ = marks.invoke("run", "--select", "marks__a")
    assert ["column token of" in node.message for node in built.failed] == [True]
