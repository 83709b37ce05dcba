"""Current and history tables when their source gets columns and wider types."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bronze_rows import AT, MILLIS, append_to_bronze, bronze_row
from canal import canal_message
from changelake.build.dbt import Build, parse
from changelake.build.declared_tables import declared_tables
from changelake.build.marks import Marks
from changelake.build.report import BuildResult
from changelake.build.runner import build_pending
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.generated_files import read_generated, write_generated
from changelake.onboarding.model_columns import Columns, declared
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.seen import look_at_alters, look_at_values, seen_tables
from changelake.onboarding.shards import join_shards

FEED = "evolving"
FEEDS_OF_TABLES = {FEED: "canal"}
TYPES = {"id": "int(11)", "v": "varchar(9)", "price": "decimal(9,2)"}
WIDER = TYPES | {"id": "bigint(20)", "price": "decimal(10,4)"}


def message(
    table: str,
    at: int,
    row: dict[str, Any],
    types: dict[str, str],
    kind: str = "INSERT",
    key: str = "id",
) -> bytes:
    """Return a row of Canal's with full MySQL types; without types they will be guessed."""
    message = canal_message(
        kind, "evolving", table, MILLIS + at, [row],
        id=at, pkNames=[] if table.startswith("bag") else [key],
        mysqlType={name: types[name] for name in row} if types else None,
    )  # fmt: skip
    return json.dumps(message).encode()


TABLES = (
    "grows", "widens", "edited", "asks", "ask_renames", "late", "drops", "renames", "reuses",
    "resent", "behind", "ask_behind", "part_1", "part_2", "twin_1", "twin_2", "bag_drops",
    "becomes_text", "retypes", "bag", "bag_grows",
)  # fmt: skip
TWINS = ("twin_1", "twin_2")
UNTYPED = ("guesses", "guess_1", "guess_2", "told", "guess_asks", "guess_other")  # fmt: skip


def ddl(table: str, at: int, sql: str, kind: str = "ALTER") -> bytes:
    """Return a DDL statement as Canal sends it."""
    message = canal_message(kind, "evolving", table, MILLIS + at, id=at, pkNames=None, sql=sql)
    return json.dumps(message).encode()


class Lake:
    """The tables of one feed, their models, and runs with their own messages."""

    def __init__(self, spark: Any, project: Path, log: Path) -> None:
        self.spark, self.project = spark, project
        self.models = project / "models" / "current" / FEED
        self.log = log
        self.said = ""
        self.before: dict[str, str] = {}
        self.first, self.first_said = BuildResult(), ""
        self._offset = 0
        ensure_bronze(spark)

    def run(self, *messages: bytes) -> BuildResult:
        """Land messages and build."""
        rows = [
            bronze_row(FEED, FEED, 0, self._offset + number, AT, value)
            for number, value in enumerate(messages)
        ]
        self._offset += len(rows)
        append_to_bronze(self.spark, "canal", rows)
        with self.log.open("w") as log:
            feeds = [Feed(FEED, "canal", (FEED,))]
            built = build_pending(self.spark, "local", feeds, Console(file=log, width=300))
        self.said = self.log.read_text()
        assert [(one.name, one.message) for one in built.failed + built.failed_tests] == []
        return built

    def onboard(self) -> None:
        """Write the tables' models."""
        tables = [one for one in seen_tables(self.spark) if one.feed == FEED]
        look_at_values(self.spark, tables)
        look_at_alters(self.spark, tables)
        for shards in ("part", "twin", "guess"):
            pattern = rf"evolving\.{shards}_\d"
            parts = [one for one in tables if re.fullmatch(pattern, one.name)]
            tables = [one for one in tables if one not in parts]
            tables.append(join_shards(parts, f"evolving.{shards}", pattern))
        for table in tables:
            write_table(table, self.models)
            if table.table in ("grows", "widens", "late", "guesses"):
                write_history(table, self.project / "models" / "history" / FEED)

    def edit(self, table: str, change: Callable[[str], str]) -> None:
        """Change a model as a person would."""
        model = self.models / f"evolving__{table}.sql"
        before = model.read_text()
        model.write_text(change(before))
        assert model.read_text() != before

    def text(self, table: str) -> str:
        """Return a model's text."""
        return (self.models / f"evolving__{table}.sql").read_text()

    def columns(self, table: str) -> Columns:
        """Return the columns that a model declares."""
        return declared(self.models / f"evolving__{table}.sql").get("columns", {})

    def rows(self, table: str, relation: str = "current") -> list[tuple[Any, ...]]:
        """Return a table's rows: the declared columns, then the undecodable values."""
        names = [f"`{name}`" for name in self.columns(table)]
        moment = ", _valid_from" if relation == "history" else ""
        found = self.spark.sql(
            f"select {', '.join(names)}, _undecodable from {relation}.evolving__{table}"
            f" order by {', '.join(names)}{moment}"
        )
        return [
            tuple(str(one) if one is not None else None for one in row) for row in found.collect()
        ]

    def has_evolve(self, how: str) -> None:
        """Set the var changelake_evolve."""
        project = self.project / "dbt_project.yml"
        text = project.read_text().partition("\nvars:")[0].rstrip()
        project.write_text(f"{text}\n\nvars:\n  changelake_evolve: '{how}'\n")


ROW = {"id": "1", "v": "a", "price": "1.10"}


@pytest.fixture(scope="module")
def evolved(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The lake after changes at its source, with the output and questions of the run after them."""
    lake = Lake(spark, project, tmp_path_factory.mktemp("evolving") / "log")
    lake.run(
        *(message(table, 1, ROW, TYPES) for table in TABLES[:-4]),
        *(
            message(table, 1, {"id": "1", "v": "7"}, TYPES | {"v": "int"})
            for table in ("becomes_text", "retypes")
        ),
        message("bag_grows", 1, ROW, TYPES),
        ddl("lags", 3, "ALTER TABLE `lags` RENAME COLUMN `v` TO `w`"),
        message("lags", 4, {"id": "2", "w": "b"}, TYPES | {"w": "varchar(9)"}),
        message("apart", 1, {**ROW, "w": "x"}, TYPES | {"w": "varchar(9)"}),
        message("joined", 2, ROW, TYPES),
        ddl("joined", 3, "ALTER TABLE `joined` RENAME COLUMN `V` TO `w`"),
        message("joined", 4, {"id": "2", "w": "b"}, TYPES | {"w": "varchar(9)"}),
        message("bag_lags", 4, {**ROW, "note": "new"}, TYPES | {"note": "varchar(9)"}),
        message("bag", 1, ROW, TYPES | {"v": "varbinary(9)"}),
        *(message(table, 1, {"id": "1", "v": "7", "at": "2026-01-01"}, {}) for table in UNTYPED),
    )
    lake.onboard()
    assert lake.columns("guesses") == {
        "id": "bigint from exact",
        "v": "bigint from exact",
        "at": "date",
    }
    late = {**ROW, "id": "2", "more": "early"}
    before = lake.text("late")
    lake.edit("late", lambda text: text.replace("'key':", "'evolve': 'off', 'key':"))
    lake.run(message("late", 2, late, TYPES | {"more": "varchar(9)"}))
    assert "more" not in lake.columns("late")
    lake.edit("late", lambda _: before)
    lake.before = {table: lake.text(table) for table in ("grows", "guesses")}
    lake.edit("edited", lambda text: text + "-- mine\n")
    lake.edit("ask_behind", lambda text: text.replace("'v':", "'w': 'string', 'v':"))
    for table in ("asks", "ask_renames", "ask_behind", "guess_asks"):
        lake.edit(table, lambda text: text.replace("'key':", "'evolve': 'ask',\n        'key':"))
    lake.edit("guess_other", lambda text: text + "-- mine\n")
    told = lake.models / "evolving__told.sql"
    write_generated(told, read_generated(told) or "", from_schema=True)
    noted = {**ROW, "note": "new"}
    types = TYPES | {"note": "varchar(9)", "more": "varchar(9)"}
    built = lake.run(
        # A message may say that a table has changed, but not how.
        ddl("grows", 2, ""),
        message("grows", 3, noted, types, "UPDATE"),
        message("grows", 4, {**noted, "id": "2"}, types),
        message("widens", 3, {"id": str(2**40), "v": "b", "price": "123456.1234"}, WIDER),
        message("becomes_text", 3, {"id": "2", "v": "x1"}, TYPES),
        ddl("becomes_text", 4, "ALTER TABLE `becomes_text` RENAME COLUMN `id` TO `No`"),
        message("becomes_text", 5, {"No": "3", "v": "x2"}, TYPES | {"No": "int"}, key="No"),
        message("edited", 3, {**noted, "id": "2"}, types),
        message("asks", 3, {**noted, "id": "2"}, types),
        message("late", 3, {**ROW, "id": "3", "more": "on time"}, types),
        message("drops", 3, {"id": "2", "v": "b"}, types),
        message("bag", 3, {**ROW, "v": "b"}, TYPES, "UPDATE"),
        ddl("renames", 3, "ALTER TABLE `renames` CHANGE `v` `Value` varchar(9), DROP `price`"),
        message("renames", 4, {"id": "2", "Value": "b"}, TYPES | {"Value": "varchar(9)"}),
        ddl("renames", 5, "ALTER TABLE `renames` CHANGE `Value` `last` varchar(9)"),
        message("renames", 6, {"id": "3", "last": "c"}, TYPES | {"last": "varchar(9)"}),
        ddl("reuses", 3, "ALTER TABLE `reuses` RENAME COLUMN `v` TO `w`, ADD `v` varchar(9)"),
        message("reuses", 4, {**ROW, "id": "2", "v": "new", "w": "b"}, TYPES | {"w": "varchar(9)"}),
        # The producer was restarted in between.
        *2
        * (
            ddl("resent", 3, "ALTER TABLE `resent` ADD `more` varchar(9)"),
            message("resent", 4, {**ROW, "id": "2", "more": "m"}, types),
            ddl("resent", 5, "ALTER TABLE `resent` RENAME COLUMN `more` TO `most`"),
            message("resent", 6, {**ROW, "id": "3", "most": "n"}, TYPES | {"most": "varchar(9)"}),
        ),
        message("part_2", 3, {**noted, "id": "2"}, types),
        *(ddl(one, 2, f"ALTER TABLE `{one}` ADD `note` varchar(9)") for one in TWINS),
        message("twin_2", 3, {**noted, "id": "2"}, types),
        *(ddl(one, 4, f"ALTER TABLE `{one}` RENAME COLUMN `note` TO `noted`") for one in TWINS),
        message("twin_1", 5, {**ROW, "id": "3", "noted": "n"}, TYPES | {"noted": "varchar(9)"}),
        message("guesses", 3, {"id": "2", "v": "2.50", "at": "0000-00-00"}, {}),
        # This value leaves no trace in the current table, but it does in the history.
        message("guesses", 4, {"id": "3", "v": "x", "at": "2026-01-03"}, {}),
        message("guesses", 5, {"id": "3", "v": "3", "at": "2026-01-03"}, {}, "UPDATE"),
        message("guess_2", 3, {"id": str(2**64), "v": "8", "at": "2026-01-02 10:00:00"}, {}),
        ddl("told", 3, "ALTER TABLE `told` MODIFY `v` decimal(12,4), ADD `more` int"),
        ddl("retypes", 3, "ALTER TABLE `retypes` CHANGE `v` `w` varchar(9)"),
        message(
            "retypes",
            3,
            {"id": "3", "v": "8", "more": "m"},
            TYPES | {"v": "int", "more": "varchar(9)"},
        ),
        ddl("retypes", 3, "ALTER TABLE `retypes` RENAME COLUMN `more` TO `most`"),
        # as an integer this would be 1
        message(
            "retypes",
            4,
            {"id": "2", "w": "true", "most": "n"},
            TYPES | {"w": "varchar(9)", "most": "varchar(9)"},
        ),
        message("bag_grows", 3, noted, types),
        # These are older than the alterations, from a lagging partition.
        *(message(one, 2, ROW, TYPES) for one in ("lags", "bag_lags")),
        # Rows with the column and without it are in one batch.
        message("bag_drops", 2, {**ROW, "v": "c"}, TYPES),
        ddl("bag_drops", 3, "ALTER TABLE `bag_drops` DROP `price`"),
        message("bag_drops", 4, {"id": "1", "v": "a"}, TYPES, "DELETE"),
        ddl("ask_renames", 3, "ALTER TABLE `ask_renames` RENAME COLUMN `v` TO `w`"),
        message("ask_renames", 4, {"id": "2", "w": "b"}, TYPES | {"w": "varchar(9)"}),
        # No event said that `w` had been dropped before.
        ddl("apart", 3, "ALTER TABLE `apart` RENAME COLUMN `v` TO `w`"),
        message("apart", 4, {"id": "2", "w": "b"}, TYPES | {"w": "varchar(9)"}),
        # Their statement comes later, from a lagging partition.
        *(
            message(one, 4, {"id": "2", "w": "b"}, TYPES | {"w": "varchar(20)"})
            for one in ("behind", "ask_behind")
        ),
        *(message(one, 3, {"id": "2", "v": "2.5"}, {}) for one in UNTYPED[4:]),
    )
    lake.first, lake.first_said = built, lake.said
    return lake


def test_a_new_column_is_there_with_the_run_that_brings_it(evolved: Any) -> None:
    assert evolved.columns("grows")["note"] == "string"
    assert evolved.rows("grows") == [
        ("1", "a", "1.10", "new", None),
        ("2", "a", "1.10", "new", None),
    ]
    assert [row[:4] for row in evolved.rows("grows", "history")] == [
        ("1", "a", "1.10", None),
        ("1", "a", "1.10", "new"),
        ("2", "a", "1.10", "new"),
    ]
    assert "evolving__grows: added note, new at the source" in evolved.first_said


def test_a_rename_that_is_sent_again_with_what_is_before_it(evolved: Any) -> None:
    assert evolved.columns("resent")["most"] == {"type": "string", "source": ["most", "more"]}
    assert [row[3] for row in evolved.rows("resent")] == [None, "m", "n"]


def test_rows_from_before_an_alter_that_come_late(evolved: Any) -> None:
    assert evolved.columns("lags")["w"] == {"type": "string", "source": ["w", "v"]}
    assert [row[:2] for row in evolved.rows("lags")] == [("1", "a"), ("2", "b")]
    assert (
        "evolving__lags: w was also called v at the source; the table keeps the name w"
        in evolved.first_said
    )
    # A column is not gone because late rows lack it.
    assert "evolving__bag_lags: " not in evolved.first_said
    drift = evolved.spark.table("silver.column_drift").where("source_table = 'evolving.bag_lags'")
    assert drift.collect() == []


def test_a_column_that_was_renamed_before_the_model_was_written_is_one(evolved: Any) -> None:
    assert evolved.columns("joined")["w"] == {"type": "string", "source": ["w", "v"]}
    assert "v" not in evolved.columns("joined")
    assert [row[1] for row in evolved.rows("joined")] == ["a", "b"]


def test_names_of_one_row_are_columns_apart(evolved: Any) -> None:
    assert {**evolved.columns("apart"), "price": ""} == {
        "id": "int", "v": "string", "price": "", "w": "string",
    }  # fmt: skip
    found = evolved.spark.table("current.evolving__apart").select("id", "v", "w").orderBy("id")
    assert [tuple(row) for row in found.collect()] == [(1, "a", "x"), (2, None, "b")]


def test_shards_get_the_column_of_one_of_them(evolved: Any) -> None:
    assert evolved.columns("part")["note"] == "string"
    assert [row[:5] for row in evolved.rows("part")] == [
        ("evolving.part_1", "1", "a", "1.10", None),
        ("evolving.part_2", "1", "a", "1.10", None),
        ("evolving.part_2", "2", "a", "1.10", "new"),
    ]


def test_shards_that_are_altered_alike_have_one_column(evolved: Any) -> None:
    assert evolved.columns("twin")["noted"] == {"type": "string", "source": ["noted", "note"]}
    assert [row[:5] for row in evolved.rows("twin")] == [
        ("evolving.twin_1", "1", "a", "1.10", None),
        ("evolving.twin_1", "3", "a", "1.10", "n"),
        ("evolving.twin_2", "1", "a", "1.10", None),
        ("evolving.twin_2", "2", "a", "1.10", "new"),
    ]


def test_a_column_that_came_before_is_filled_in(evolved: Any) -> None:
    assert [row[:4] for row in evolved.rows("late")] == [
        ("1", "a", "1.10", None),
        ("2", "a", "1.10", "early"),
        ("3", "a", "1.10", "on time"),
    ]
    assert [row[3] for row in evolved.rows("late", "history")] == [None, "early", "on time"]


def test_types_are_widened(evolved: Any) -> None:
    assert evolved.columns("widens") == {"id": "bigint", "v": "string", "price": "decimal(11,4)"}
    assert evolved.rows("widens") == [
        ("1", "a", "1.1000", None),
        (str(2**40), "b", "123456.1234", None),
    ]
    assert len(evolved.rows("widens", "history")) == 2
    assert evolved.columns("becomes_text") == {
        "id": {"type": "int", "source": ["No", "id"]}, "v": "string",
    }  # fmt: skip
    rows = [("1", "7", None), ("2", "x1", None), ("3", "x2", None)]
    assert evolved.rows("becomes_text") == rows
    assert "evolving__widens: id int is now bigint, as at the source" in evolved.first_said


def test_guessed_types_are_widened_by_the_run_that_brings_what_they_do_not_hold(
    evolved: Any,
) -> None:
    assert evolved.columns("guesses") == {
        "id": "bigint from exact", "v": "string", "at": "date",
    }  # fmt: skip
    assert evolved.rows("guesses") == [
        ("1", "7", "2026-01-01", None),
        ("2", "2.50", None, "{'at': '0000-00-00'}"),
        ("3", "3", "2026-01-03", None),
    ]
    # One of these values is only in the history.
    assert [row[1] for row in evolved.rows("guesses", "history")] == ["7", "2.50", "3", "x"]
    for text in (
        "v bigint from exact is now string, for values seen",
        "at has values that its type does not hold: see _undecodable",
    ):
        assert evolved.first_said.count(f"evolving__guesses: {text}") == 1
    assert evolved.columns("guess")["id"] == "decimal(38,0) from exact"
    assert evolved.columns("guess")["at"] == "timestamp_ntz"
    assert [row[:4] for row in evolved.rows("guess")] == [
        ("evolving.guess_1", "1", "7", "2026-01-01 00:00:00"),
        ("evolving.guess_2", "1", "7", "2026-01-01 00:00:00"),
        ("evolving.guess_2", str(2**64), "8", "2026-01-02 10:00:00"),
    ]
    built = [one.name for one in evolved.first.nodes]
    assert built.count("evolving__guesses") == built.count("evolving__guess") == 1


def test_a_renamed_column_goes_by_all_its_names(evolved: Any) -> None:
    assert evolved.columns("renames") == {
        "id": "int",
        "v": {"type": "string", "source": ["last", "Value", "v"]},
        "price": "decimal(9,2)",
    }
    assert [row[:3] for row in evolved.rows("renames")] == [
        ("1", "a", "1.10"), ("2", "b", None), ("3", "c", None),
    ]  # fmt: skip
    assert "evolving__renames: the source no longer has v;" not in evolved.first_said
    assert (
        "evolving__renames: the source renamed v to Value, then to last; the table keeps the name v"
        in evolved.first_said
    )
    assert "evolving__renames: the source no longer has price; its values stay" in (
        evolved.first_said
    )


def test_a_column_that_takes_anothers_name_is_one_of_its_own(evolved: Any) -> None:
    assert [row[:4] for row in evolved.rows("reuses")][:2] == [
        ("1", "a", "1.10", None), ("2", "new", "1.10", "b"),
    ]  # fmt: skip


def test_a_column_is_renamed_and_widened_at_once(evolved: Any) -> None:
    assert evolved.columns("retypes") == {
        "id": "int", "v": {"type": "string", "source": ["w", "v"]},
        # It was added by the run that also saw its other name.
        "most": {"type": "string", "source": ["most", "more"]},
    }  # fmt: skip
    assert [row[:3] for row in evolved.rows("retypes")] == [
        ("1", "7", None), ("2", "true", "n"), ("3", "8", "m"),
    ]  # fmt: skip


def test_a_table_without_a_key_gets_a_column(evolved: Any) -> None:
    assert [row[:4] for row in evolved.rows("bag_grows")] == [
        ("1", "a", "1.10", None),
        ("1", "a", "1.10", "new"),
    ]


def test_a_column_that_the_source_drops_stays(evolved: Any) -> None:
    assert [row[:3] for row in evolved.rows("drops")] == [("1", "a", "1.10"), ("2", "b", None)]


def test_what_a_person_edited_stays_and_is_asked_for_once(evolved: Any) -> None:
    onboard, rebuild = "scripts/onboard.py --table evolving.", "then run dbt build --target local"
    rebuild += " --full-refresh --select evolving__"
    note = f"the source has a new column note: {onboard}{{}} --update adds it"
    outgrown = "v has values that its type does not hold: write decimal(38,1) from exact in the"
    uncounted, reused = (
        "evolving__bag: updates lack the old row, which stays counted: have the producer send the"
        f" whole old row, or declare a key: run {onboard}bag --key 'evolving.bag=COLUMN,…',"
        f" {rebuild}bag",
        "evolving__reuses: another column is called v now: rows from before keep the values of the"
        " former one, until the producer sends them again",
    )
    asked = [
        "evolving__ask_renames: the source has renamed v to w: add that to its 'source',"
        f" {rebuild}ask_renames",
        f"evolving__asks: {note.format('asks')}",
        uncounted,
        "evolving__bag: the source now needs v to be string, but it is binary from latin1 here:"
        f" run {onboard}bag, {rebuild}bag",
        f"evolving__edited: {note.format('edited')}",
        reused,
        "evolving__told: the source has made v decimal(12,4), which no message tells: run"
        f" {onboard}told --schema FILE with the new definition, {rebuild}told",
        "evolving__bag_drops: the source no longer has price, which still tells older rows apart:"
        f" move it to 'left_out' in the model, {rebuild}bag_drops",
        f"evolving__guess_asks: {outgrown} model, {rebuild}guess_asks",
        f"evolving__guess_other: {outgrown} model, {rebuild}guess_other",
    ]
    assert evolved.first.asked == asked
    assert len(evolved.rows("bag")) == 2
    assert "note" not in evolved.columns("edited") and "note" not in evolved.columns("asks")
    assert [row[:3] for row in evolved.rows("edited")] == [("1", "a", "1.10"), ("2", "a", "1.10")]
    types = TYPES | {"note": "varchar(9)"}
    again = {**ROW, "id": "3", "note": "new"}
    # A new deployment of the project brings back the previous models.
    for table, text in evolved.before.items():
        evolved.edit(table, lambda _, text=text: text)
    built = evolved.run(
        *(message(table, 5, again, types) for table in ("edited", "asks")),
        message("bag", 5, {**ROW, "v": "c"}, TYPES, "UPDATE"),
        message("drops", 5, {"id": "2", "v": "c"}, TYPES, key="v"),
        message("guesses", 6, {"id": "4", "v": "y", "at": "0000-00-00"}, {}),
        message("guess_asks", 5, {"id": "3", "v": "3.5"}, {}),
        ddl("renames", 7, "ALTER TABLE `renames` ADD `Value` varchar(9)"),
        # For a while the column has another name.
        ddl("reuses", 5, "ALTER TABLE `reuses` RENAME COLUMN `w` TO `x`, ADD KEY `w` (`x`)"),
        message("reuses", 6, {**ROW, "id": "3", "x": "c"}, TYPES | {"x": "varchar(9)"}),
        ddl("reuses", 7, "ALTER TABLE `reuses` CHANGE `x` `w` varchar(9) , DROP KEY `w`"),
        message("reuses", 8, {**ROW, "id": "4", "w": "d"}, TYPES | {"w": "varchar(9)"}),
        message("told", 5, {"id": "3", "v": "3.5"}, {}),
        *(
            # Canal names its type after its first clause.
            ddl(one, 3, f"ALTER TABLE `{one}` ADD KEY (`id`), CHANGE `v` `w` varchar(20)", "CINDEX")
            for one in ("behind", "ask_behind")
        ),
    )
    assert built.asked == [
        "evolving__ask_behind: the source has renamed v to w, and the model has both: write both"
        f" names into the 'source' of one, remove the other, {rebuild}ask_behind",
        f"evolving__drops: the source's key is now v: to take it, run {onboard}drops --key"
        f" evolving.drops=v, {rebuild}drops",
        "evolving__renames: another column is called Value now: its values are lost, until the"
        f" model has both: give each a column of its own, {rebuild}renames",
    ]
    # Nothing shows whether the producer has sent rows again.
    still = [one for one in built.open if one.startswith("evolving__")]
    assert sorted(still) == sorted({*asked} - {uncounted, reused})
    assert set(Marks("local").open()) == {*built.open, *built.asked[:2]}
    assert [row[3] for row in evolved.rows("reuses")] == [None, "b", "c", "d"]
    assert "reuses: the source no longer has" not in evolved.said
    assert [line for line in evolved.said.splitlines() if "at the source" in line] == [
        "evolving__grows: added note, new at the source",
        "evolving__reuses: w was also called x at the source; the table keeps the name w",
    ]
    assert "evolving__behind: the source renamed v to w; the table keeps the name v" in evolved.said
    assert evolved.columns("behind") == {
        "id": "int", "v": {"type": "string", "source": ["w", "v"]}, "price": "decimal(9,2)",
    }  # fmt: skip
    assert [row[:2] for row in evolved.rows("behind")] == [("1", "a"), ("2", "b")]
    assert "evolving__guesses: v bigint from exact is now string, as in the table" in evolved.said
    assert [row[1] for row in evolved.rows("guesses")] == ["7", "2.50", "3", "y"]
    assert [line for line in evolved.said.splitlines() if "see _undecodable" in line] == [
        "evolving__told: v has values that its type does not hold: see _undecodable"
    ]
    assert len(evolved.rows("edited")) == 3
    assert [row[3] for row in evolved.rows("grows")] == ["new", "new"]
    assert Marks("local").rebuild() == set()


@pytest.mark.thorough
def test_what_was_not_built_anew_is_with_the_next_run(evolved: Any) -> None:
    Marks("local").write(rebuild=["evolving__grows"])
    before = evolved.rows("grows")
    built = evolved.run(message("edited", 6, ROW, TYPES))
    assert {"evolving__grows", "evolving__grows__history"} <= {one.name for one in built.nodes}
    assert Marks("local").rebuild() == set()
    assert evolved.rows("grows") == before


def test_onboarding_again_keeps_what_a_run_has_followed(evolved: Any) -> None:
    tables = ("grows", "widens", "renames")
    before = {table: evolved.text(table) for table in tables}
    evolved.onboard()
    assert {table: evolved.text(table) for table in tables} == before


@pytest.mark.thorough
def test_a_table_that_followed_is_as_one_that_is_built_anew(evolved: Any) -> None:
    tables = ("grows", "widens", "becomes_text", "late", "renames", "part")
    before = {table: [row[:-1] for row in evolved.rows(table)] for table in tables}
    project = Build(evolved.spark, "local", lambda node: None)
    models = [f"evolving__{table}" for table in tables]
    built = project.invoke("run", "--full-refresh", "--select", *models)
    assert [(one.name, one.message) for one in built.failed] == []
    assert {table: [row[:-1] for row in evolved.rows(table)] for table in tables} == before


@pytest.mark.thorough
def test_a_value_that_evolve_does_not_have(evolved: Any) -> None:
    evolved.has_evolve("never")
    with pytest.raises(UserError, match=r"of 'never': write one of add, ask, off"):
        declared_tables(parse("local"))
    evolved.has_evolve("add")
