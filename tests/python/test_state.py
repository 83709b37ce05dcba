"""Current and history tables compared with a model in plain Python: state_cases.py, by batch."""

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bronze_rows import append_to_bronze
from changelake.build.dbt import Build
from changelake.build.report import NodeResult
from changelake.build.runner import build_pending
from changelake.core import settings
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.seen import seen_tables
from compiled_text import compiled_text
from state_cases import (
    CASES,
    FEEDS,
    FORMATS,
    HISTORY,
    NAMES,
    SOURCES,
    THOROUGH,
    THOROUGH_HISTORY,
    UNKNOWN,
    VERSIONS,
    Steps,
)
from state_runner import Rows, Runner, texts_of
from streams import SALT, Source

pytestmark = pytest.mark.e2e

FEEDS_OF_TABLES = {one.feed: one.format for one in FEEDS}


@pytest.fixture(scope="module")
def runner(
    request: pytest.FixtureRequest,
    spark: Any,
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Runner]:
    """The cases that the tests of this run need, built."""
    ensure_bronze(spark)
    needed, histories = _needed(
        item
        for item in request.session.items
        # A doctest has no module.
        if getattr(item, "module", None) is request.module
    )
    work = Runner(spark, project, tmp_path_factory.mktemp("state") / "log", histories)
    running = [(source, case(source)) for case, source in CASES if source.name in needed]
    batch = 0
    while running := [(source, steps) for source, steps in running if _go_on(steps)]:
        batch += 1
        if batch == 3:
            codes = project / "seeds" / "operation_codes.csv"
            codes.write_text(
                codes.read_text()
                + "canal,PUT,row,insert\ndebezium,late_u,row,update\ndebezium,late_d,row,delete\n"
            )
        work.batch([source for source, _ in running], retry=batch == 3)
    yield work
    for file in (*work.models.glob("*"), *work.histories.glob("*")):
        file.unlink()


def _go_on(steps: Steps) -> bool:
    return next(steps, steps) is None


def _needed(items: Iterable[Any]) -> tuple[set[str], set[str]]:
    """Return the cases that some tests need, and those whose versions they need.

    A test that is not parametrized by case may need any of them.
    """
    cases: set[str] = set()
    histories: set[str] = set()
    for item in items:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        if "name" in params:
            cases.add(params["name"])
        elif "versions_of" in params:
            histories.add(params["versions_of"])
        else:
            is_quick = not item.get_closest_marker("thorough")
            cases |= set(NAMES) - (THOROUGH if is_quick else set())
            histories |= set(HISTORY) - (THOROUGH | THOROUGH_HISTORY if is_quick else set())
    return cases | histories, histories


def of_cases(
    names: Iterable[str], argument: str = "name", thorough: Set[str] = THOROUGH
) -> pytest.MarkDecorator:
    """Parametrize a test with cases."""
    return pytest.mark.parametrize(
        argument,
        [
            pytest.param(name, marks=pytest.mark.thorough if name in thorough else ())
            for name in names
        ],
    )


def of_histories(names: Iterable[str]) -> pytest.MarkDecorator:
    """Parametrize a test with cases that have a history."""
    return of_cases(names, "versions_of", THOROUGH | THOROUGH_HISTORY)


def test_nothing_failed(runner: Runner) -> None:
    assert runner.failures == []


def test_the_salt_of_masks_stands_nowhere(runner: Runner, project: Path, lake: Path) -> None:
    salt = SALT.encode()
    os.chdir(project)
    inline = (
        """{{ image_text('image', declared_column('v', {'type': 'string', 'mask': 'hash'})) }}"""
    )
    masked = compiled_text(inline)
    files = [file for place in (project, lake) for file in place.rglob("*") if file.is_file()]
    assert {file.name for file in files} >= {"st__masked_column.sql", "manifest.json"}
    assert [file for file in files if salt in file.read_bytes()] == []
    # The rows must not be known to the plan: those of a literal relation are masked while planning.
    rows = "select map('v', if(id = 0, 'x', '')) as image from range(1)"
    values = f"select {masked} as v from ({rows})"
    assert runner.spark.sql(values).first().v == hashlib.sha256(f"{SALT}x".encode()).hexdigest()
    for kind in ("extended", "codegen", "formatted"):
        (plan,) = runner.spark.sql(f"explain {kind} {values}").first()
        assert ("java_method" in plan or kind == "codegen", SALT in plan) == (True, False)


@of_cases(["odd_names", "any_names"])
def test_onboarding_sees_names_as_they_are(runner: Runner, name: str) -> None:
    source = SOURCES[name]
    (table,) = [one for one in seen_tables(runner.spark) if one.table == source.name]
    assert {column.name for column in table.columns} == source.columns.keys()
    assert set(table.key or []) == set(source.key)


@of_cases(["odd_names", "any_names"])
def test_the_test_of_keys_reads_them_in_the_declaration(runner: Runner, name: str) -> None:
    model = f"st__{name}"
    tests = {one.status for one in runner.tests if one.name == f"is_key_{model}_"}
    assert tests == {"pass"}
    runner.spark.sql(f"insert into state.{model} select * from state.{model}")
    try:
        built = Build(runner.spark, "local", lambda node: None).invoke("test", "--select", model)
        assert [one.status for one in built.failed_tests] == ["fail"]
    finally:
        runner.rebuild(model)


def test_only_tables_with_news_are_built(runner: Runner) -> None:
    assert runner.unasked == []


@pytest.mark.parametrize("name", ["complete_images", "swapped_apart", "same_moment"])
def test_a_row_names_the_message_that_made_it(runner: Runner, name: str) -> None:
    source = SOURCES[name]
    rows = runner.spark.sql(
        f"select {texts_of(source)}, _feed, unix_millis(_committed_at), _kafka_topic,"
        f" _kafka_partition, _kafka_offset from current.st__{source.model} where {source.in_model}"
    ).collect()
    assert rows
    for row in rows:
        *texts, feed, committed, topic, partition, offset = row
        message = json.loads(runner.messages[topic, partition, offset] or b"")
        assert (feed, committed) == (source.feed, message["es"])
        assert tuple(texts) in [source.shown(one) for one in message["data"]]


@of_cases(NAMES)
def test_tables_are_as_at_the_source(runner: Runner, name: str) -> None:
    assert runner.expected[name]
    for batch, (found, due) in enumerate(
        zip(runner.found[name], runner.expected[name], strict=True), 1
    ):
        assert (batch, found - due, due - found) == (batch, Counter(), Counter())


def test_drift_does_not_grow_with_the_number_of_tables(runner: Runner) -> None:
    # The embedded catalog stores the text of a view, up to 32,700 characters.
    (text,) = runner.spark.sql("show create table silver.column_drift").first()
    assert len(text) < 5_000
    models = runner.spark.sql("select count(distinct model) from silver.declared_source_columns")
    built = {SOURCES[name].model for name, found in runner.found.items() if found}
    assert models.first()[0] == len(built)


@pytest.mark.parametrize("name", ["tombstones_ended"])
def test_tombstones_end(runner: Runner, name: str) -> None:
    keys = runner.spark.sql(f"select _key, _is_deleted from state.st__{name} order by 1")
    # The row that the last run deleted is still there; earlier deleted rows are gone.
    assert [tuple(row) for row in keys.collect()] == [
        ("1:3", True), ("1:4", False), ("1:5", False),
    ]  # fmt: skip


@of_histories(HISTORY)
def test_the_open_versions_are_the_current_table(runner: Runner, versions_of: str) -> None:
    assert runner.expected[versions_of]
    for batch, (found, due) in enumerate(
        zip(runner.open[versions_of], runner.expected[versions_of], strict=True), 1
    ):
        assert (batch, found - due, due - found) == (batch, Counter(), Counter())


@of_histories(VERSIONS)
def test_versions_are_what_the_rows_were(runner: Runner, versions_of: str) -> None:
    source = SOURCES[versions_of]
    due = Counter(
        (*source.shown(one.row), one.begin, one.end, one.operation) for one in source.versions
    )
    width = len(source.columns)
    found = Counter((*row[: width + 2], row[width + 3]) for row in runner.versions(source))
    assert (found - due, due - found) == (Counter(), Counter())


@pytest.mark.thorough
@of_histories(["emptied", "debezium_emptied"])
def test_tables_as_they_were(runner: Runner, versions_of: str) -> None:
    source = SOURCES[versions_of]
    ends, expected = runner.ends[source.name], runner.expected[source.name]
    offsets = [f"offsets={{0: {offset}}}" for offset, _, _ in ends]
    seconds = [f'at="timestamp_seconds({second})"' for _, second, _ in ends]
    assert runner.as_of(source, *offsets, *seconds) == [*expected, *expected]


@pytest.mark.thorough
def test_a_table_as_it_was_at_a_position(runner: Runner) -> None:
    source = SOURCES["debezium_positions"]
    positions = [f"position='{position}'" for _, _, position in runner.ends[source.name]]
    assert runner.as_of(source, *positions) == runner.expected[source.name]


@of_histories(["random_debezium_parts"])
def test_shards_have_no_position_in_common(runner: Runner, versions_of: str) -> None:
    with pytest.raises(AssertionError, match="is made of shards"):
        runner.as_of(SOURCES[versions_of], "position='1'")


def test_declared_columns_are_not_drift(runner: Runner) -> None:
    """Nor is a renamed column whose new name the model knows."""
    drift = runner.spark.table("silver.column_drift").where("model like 'st__%'")
    found = drift.select("model", "column_name", "kind").collect()
    changed = [
        ("altered_labels", "kind"),
        ("altered_lists", "amounts"),
        ("altered_lists", "bits"),
        ("altered_lists", "days"),
        ("altered_types", "amount"),
        ("altered_types", "at"),
        ("altered_types", "big"),
        ("altered_types", "count"),
        ("altered_types", "flags"),
        ("altered_types", "note"),
        ("altered_types", "one"),
        ("types_that_are_none", "kind"),
    ]
    assert sorted(tuple(row) for row in found) == [
        (f"st__{name}", column, "type_changed") for name, column in changed if runner.found[name]
    ]


@pytest.mark.thorough
def test_tables_rebuilt_from_reparsed_events_are_the_same(runner: Runner) -> None:
    """Tables are rebuilt with their events: their watermarks belong to the old events."""
    histories = [SOURCES[name] for name in HISTORY]
    incremental = runner.all_versions(histories)
    runner.rebuild(*(f"{one}_events" for one in FORMATS))
    built = build_pending(runner.spark, "local", FEEDS, runner.console)
    assert built.failed == []
    models = {f"st__{source.model}" for source in SOURCES.values()}
    assert {node.name for node in built.nodes} >= models
    # Nobody knows what value a row had in a column that was added later. Only a rebuilt table says
    # so, since rows without new changes are not written again.
    unknown = {UNKNOWN: None, "{added, later -> null}": None}
    for name, versions in runner.all_versions(histories).items():
        assert incremental[name]
        if name == "odd_names":
            assert {row[-4] for row in versions} == {None, "{added, later -> null}"}
            versions = [tuple(unknown.get(value, value) for value in row) for row in versions]
            incremental[name] = [
                tuple(unknown.get(value, value) for value in row) for row in incremental[name]
            ]
        assert (name, Counter(versions)) == (name, Counter(incremental[name]))
    for name, found in runner.rows(list(SOURCES.values())).items():
        if SOURCES[name].checked and name != "odd_names":
            assert (name, found) == (name, SOURCES[name].state())


def test_a_run_touches_the_keys_of_its_news_alone(runner: Runner) -> None:
    source = SOURCES["complete_images"]
    for table in ("", "__history"):
        # as in a large table
        runner.spark.sql(
            f"alter table state.st__complete_images{table}"
            " set tblproperties ('delta.enableDeletionVectors' = 'true')"
        )
    source.update(("12", {"name": "touched"}))
    append_to_bronze(runner.spark, "canal", runner.land(source))
    built = build_pending(runner.spark, "local", FEEDS, runner.console)
    tables = [node.name for node in built.nodes if node.name.startswith("st__")]
    assert sorted(tables) == ["st__complete_images", "st__complete_images__history"]
    for table, updated, inserted in (("", "1", "0"), ("__history", "1", "1")):
        log = runner.spark.sql(f"describe history state.st__complete_images{table}")
        (metrics,) = log.where("operation = 'MERGE'").select("operationMetrics").first()
        assert metrics["numTargetRowsUpdated"] == updated
        assert metrics["numTargetRowsInserted"] == inserted
        assert metrics["numTargetRowsCopied"] == "0"
    assert runner.current(source) == source.state()
    assert built.failed == []


def test_a_run_without_news_builds_no_table(runner: Runner) -> None:
    built = build_pending(runner.spark, "local", FEEDS, runner.console)
    assert [node.name for node in built.nodes if node.name.startswith("st__")] == []


# In the shared runs, one case's model is away, one case is compacted, one cannot be read.
AWAY, COMPACTED, UNREAD = "random_canal_once", "complete_images", "debezium_rows"
CHANGED = [
    ("renamed_column", "'id': 'bigint'", "'id': 'int'",
     "column id of {} was built as bigint and is declared as int"),
    ("masked_column", "'v': {'type': 'string', 'mask': 'hash'}", "'v': 'string'",
     "column v of {} was built as string with mask hash and salt b3f9 and is declared as string:"),
    ("random_composite", "'key': ['id', 'name']", "'key': ['id']",
     "the key of {} was built as id, name and is declared as id:"),
    ("random_bag_parts", "'columns': {", "'columns': {'extra': 'string',",
     "the key of {} was built as none but the whole row, id, name and is declared as"
     " none but the whole row, extra, id, name:"),
    ("emptied", "'v': 'string'", "'v': {'type': 'string', 'source': 'title'}",
     "'source' of column v of {} was built as v and is declared as title:"),
]  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """The state after a run.

    Attributes:
        failed: the nodes that failed, with their messages.
        found: each table's rows.
        due: each table's rows at the source.
        open: the open versions of the table that is compacted.
        compactions: of its events, it and its history: files before and after, each time.
    """

    failed: dict[str, str]
    found: dict[str, Rows]
    due: dict[str, Rows]
    open: Rows
    compactions: list[list[tuple[int, int]]]


@pytest.fixture(scope="module")
def seen(runner: Runner) -> list[Seen]:
    """The states before and after each of three runs; runs take seconds, so tests share them.

    In the first run a model is away, and hours have passed since the last compaction. In the second
    the model is back, declarations have changed, and a file of bronze is hidden. In the third
    everything is back to normal.
    """
    away, compacted, unread = (SOURCES[name] for name in (AWAY, COMPACTED, UNREAD))
    changed = [SOURCES[name] for name, *_ in CHANGED]
    sources = [away, compacted, unread, *changed]
    tables = ["silver.canal_events", *(f"state.st__{COMPACTED}{one}" for one in ("", "__history"))]

    def land(*landed: Source) -> None:
        for source in landed:
            append_to_bronze(runner.spark, source.format, runner.land(source))

    def see(failed: Sequence[NodeResult] = ()) -> Seen:
        return Seen(
            {node.name: node.message for node in failed},
            runner.rows(sources),
            {source.name: source.state() for source in sources},
            runner.current(compacted, "history.st__{}", "_is_current"),
            [_compactions(runner, table) for table in tables],
        )

    seen = [see()]
    away.insert({"id": "900", "name": "away", "note": ""})
    compacted.update(("12", {"name": "in one file"}))
    land(away, compacted)
    long_ago = int((time.time() - 7 * 60 * 60) * 1000)
    for table in tables:
        runner.spark.sql(
            f"alter table {table} set tblproperties ('changelake_compacted_at' = '{long_ago}')"
        )
    with replaced(runner.models / f"st__{AWAY}.sql", None):
        seen.append(see(runner.build()))
    compacted.update(("12", {"name": "in two files"}))
    unread.insert({"id": 999, "name": "late"})
    for source in changed:
        source.insert({"id": "5000", "name": "e"})
    land(compacted, *changed, unread)
    files = Path(settings.bronze("debezium")).glob("landed_date=*/*.parquet")
    with ExitStack() as stack:
        for name, old, new, _ in CHANGED:
            model = runner.models / f"st__{name}.sql"
            text = model.read_text()
            assert old in text
            stack.enter_context(replaced(model, text.replace(old, new)))
        stack.enter_context(replaced(max(files, key=lambda one: one.stat().st_mtime_ns), None))
        seen.append(see(runner.build()))
    seen.append(see(runner.build()))
    return seen


@contextmanager
def replaced(file: Path, text: str | None) -> Iterator[None]:
    """Replace a file's text for a while, or remove the file."""
    before = file.read_bytes()
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
    try:
        yield
    finally:
        file.write_bytes(before)


def _compactions(runner: Runner, table: str) -> list[tuple[int, int]]:
    log = runner.spark.sql(f"describe history {table}").where("operation = 'OPTIMIZE'")
    metrics = [row.operationMetrics for row in log.collect()]
    return [(int(one["numRemovedFiles"]), int(one["numAddedFiles"])) for one in metrics]


@pytest.mark.thorough
def test_a_model_that_was_away_is_built_when_it_is_back(seen: list[Seen]) -> None:
    _, first, second, _ = seen
    assert first.failed == {}
    assert second.found[AWAY] == second.due[AWAY]


@pytest.mark.thorough
def test_small_files_are_put_together_after_some_hours(seen: list[Seen]) -> None:
    before, first, second, _ = seen
    assert before.compactions == [[], [], []]
    assert [len(one) for one in first.compactions] == [1, 1, 1]
    assert all(one[0][0] > one[0][1] for one in first.compactions)
    assert second.compactions == first.compactions
    for run in (first, second):
        assert run.found[COMPACTED] == run.open == run.due[COMPACTED]


@pytest.mark.thorough
def test_a_changed_declaration_rebuilds_nothing_unasked(seen: list[Seen]) -> None:
    _, first, second, third = seen
    failed = {**second.failed}
    for name, *_, message in CHANGED:
        assert message.format(f"current.st__{name}") in failed.pop(f"st__{name}")
        failed.pop(f"st__{name}__history", None)
        assert second.found[name] == first.found[name]
        assert third.found[name] == third.due[name]
    # its file is hidden
    assert failed.keys() == {"debezium_events"}
    assert third.failed == {}


@pytest.mark.thorough
def test_a_table_with_another_list_of_feeds_must_be_rebuilt(runner: Runner) -> None:
    model = runner.models / "st__bag_emptied_late.sql"
    text = model.read_text()
    less = text.replace("['state_canal']", "['faults']")
    assert less != text
    with replaced(model, less):
        built = Build(runner.spark, "local", lambda node: None).invoke(
            "run", "--select", "st__bag_emptied_late"
        )
    (failed,) = built.failed
    feeds = "the list of feeds of current.st__bag_emptied_late was built as state_canal and is"
    assert f"{feeds} declared as faults: rebuild the table" in failed.message


@pytest.mark.thorough
def test_a_format_that_fails_keeps_no_other_from_its_tables(seen: list[Seen]) -> None:
    *_, second, third = seen
    assert "debezium_events" in second.failed
    matches = [second.found[name] == second.due[name] for name in (COMPACTED, UNREAD)]
    assert matches == [True, False]
    assert third.failed == {}
    assert third.found == third.due


@pytest.mark.thorough
def test_upkeep_leaves_what_tables_hold(runner: Runner) -> None:
    tables = ("silver.canal_events", "state.st__debezium", "state.st__tombstones_ended")
    left = []
    long_ago = time.time() - 8 * 24 * 60 * 60
    for table in (*tables, "state.st__complete_images"):
        place = runner.spark.sql(f"describe detail {table}").first().location
        left.append(Path(place.removeprefix("file:")) / "left.parquet")
        left[-1].write_bytes(b"x")
        os.utime(left[-1], (long_ago, long_ago))
    ended = "select count_if(_is_deleted and _key >= '0') from state.st__tombstones_ended"
    assert runner.spark.sql(ended).first()[0] > 0
    Build(runner.spark, "local", lambda node: None).operate(
        "maintain_lake", {"like": "*st__debezium|*tombstones_ended*|canal_events"}
    )
    assert [file.exists() for file in left] == [False, False, False, True]
    assert runner.spark.sql(ended).first()[0] == 0
    for name in ("debezium_rows", "tombstones_ended"):
        assert runner.current(SOURCES[name]) == SOURCES[name].state()


def test_a_full_refresh_builds_a_table_anew(runner: Runner) -> None:
    source = SOURCES["complete_images"]
    versions = runner.versions(source)
    runner.spark.sql("delete from state.st__complete_images")
    runner.spark.sql("delete from state.st__complete_images__history")
    runner.rebuild("st__complete_images", "st__complete_images__history")
    assert runner.current(source) == source.state()
    assert runner.versions(source) == versions
