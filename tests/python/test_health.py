"""The figures in the models of monitoring, their report, and the alerts."""

import datetime
import html
import json
import re
import runpy
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console
from typer.testing import CliRunner

from bronze_rows import BronzeRow, append_to_bronze
from canal import canal_message
from changelake.build.dbt import QUIET
from changelake.build.report import BuildResult, NodeResult, Rejected
from changelake.build.runner import build_pending
from changelake.core import json_lines, settings
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.health.attention import attention
from changelake.health.figures import Figures, take_figures
from changelake.health.metrics import write_metrics
from changelake.health.page import page
from changelake.landing.bronze import ensure_bronze
from changelake.landing.plans import FeedResult
from changelake.runs import costs
from changelake.runs.costs import RunCosts
from changelake.runs.summary import RunSummary
from processes import SCRIPTS

# The lake takes a minute to build.
pytestmark = [pytest.mark.e2e, pytest.mark.thorough]

FEED = "health"
FEEDS_OF_TABLES = {FEED: "canal", "silent": "canal", "halted": "cloudcanal_json"}
UTC = datetime.timezone.utc
NOW = datetime.datetime.now(UTC).replace(microsecond=0)
SECOND = datetime.timedelta(seconds=1)
VIEWS = {
    "freshness", "lag", "event_counts", "rejects_by_reason", "run_costs", "table_sizes",
}  # fmt: skip
TABLES = {"canal_events", "message_counts_by_day", "source_columns"}
Message = tuple[bytes | None, datetime.datetime, datetime.datetime]
HOUR, DAY = 3600 * SECOND, 24 * 3600 * SECOND
ODD = "<script>alert('1')</script>&\"`${x}\u202e"


def change(committed: datetime.datetime, kind: str = "INSERT", rows: int = 1) -> bytes:
    """Return a change as Canal sends it."""
    at = int(committed.timestamp() * 1000)
    data = [{"id": str(row)} for row in range(rows)]
    message = canal_message(kind, FEED, ODD, at, data, mysqlType={"id": "int"})
    return json.dumps(message).encode()


class Lake:
    """A lake with a feed of known messages; each step can query it."""

    def __init__(self, spark: Any, project: Path, log: Path) -> None:
        self.spark, self.project = spark, project
        self._console = Console(file=log.open("w"))
        self._offset = 0
        ensure_bronze(spark)

    def land(self, *messages: Message, feed: str = FEED) -> None:
        """Append messages to bronze: each is a value with its Kafka time and its landing time."""
        rows: list[BronzeRow] = []
        for value, kafka, landed in messages:
            body = None if value is None else bytearray(value)
            place = (feed, feed, 0, self._offset)
            rows.append((*place, kafka, None, None, body, landed, landed.date()))
            self._offset += 1
        append_to_bronze(self.spark, FEEDS_OF_TABLES[feed], rows)

    def build(self) -> BuildResult:
        """Build what is pending."""
        formats = {"faults": "canal", "shop": "canal", **FEEDS_OF_TABLES}
        feeds = [Feed(name, one, (name,)) for name, one in formats.items()]
        built = build_pending(self.spark, "local", feeds, self._console)
        # Other tests' tables are built at the same time.
        failed = {one.name: one.message for one in built.failed if one.name in VIEWS | TABLES}
        assert failed == {}
        return built

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return [tuple(row) for row in self.spark.sql(query).collect()]


@pytest.fixture(scope="module")
def known(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    made = Lake(spark, project, tmp_path_factory.mktemp("log") / "log")
    made.build()
    # An empty lake must have a page, too.
    page(take_figures(spark, "local"), 60)
    kafka, landed = NOW - HOUR, NOW - HOUR + 60 * SECOND
    made.land(
        # Each of the ten took a second longer to reach Kafka, and all took a minute to land.
        *((change(kafka - n * SECOND, rows=2), kafka, landed) for n in range(1, 11)),
        # A full load brings rows that are years old.
        (change(NOW - 900 * DAY, "INIT"), kafka, landed),
        (change(NOW - 40 * DAY, "DELETE"), NOW - 40 * DAY, NOW - 40 * DAY),
        *((value, kafka, landed) for value in (b"{", b"[]", None)),
    )
    made.build()
    return made


@pytest.fixture(scope="module")
def figures(known: Lake) -> Figures:
    """Return the figures of the known lake."""
    return take_figures(known.spark, "local")


def test_freshness_and_lag_are_those_of_the_messages(known: Lake) -> None:
    built_at = known.rows(f"select max(parse_batch) from silver.canal_events where feed = '{FEED}'")
    ((committed, kafka, landed, built, unparsed, since),) = known.rows(
        "select unix_seconds(newest_committed_at), unix_seconds(newest_kafka_timestamp),"
        " unix_seconds(newest_landed_at), unix_millis(newest_parsed_at), unparsed_messages,"
        f" unparsed_since from silver.freshness where feed = '{FEED}'"
    )
    hour_ago = int((NOW - HOUR).timestamp())
    assert (committed, kafka, landed) == (hour_ago - 1, hour_ago, hour_ago + 60)
    assert (built, unparsed, since) == (built_at[0][0], 0, None)
    silent = known.rows(
        "select kafka_topic, newest_landed_at, unparsed_messages from silver.freshness"
        " where feed = 'silent'"
    )
    assert silent == [(None, None, 0)]
    lags = {
        step: tuple(rest)
        for step, *rest in known.rows(
            "select step, messages, median_seconds, p99_seconds from silver.lag"
            f" where feed = '{FEED}'"
        )
    }
    # The message of 40 days ago is not of the last day, and a full load has no commit.
    assert lags["commit_to_kafka"] == (10, 5.0, 10.0)
    assert lags["kafka_to_landed"] == (11, 60.0, 60.0)
    waited = built / 1000 - hour_ago - 60
    assert lags["landed_to_parsed"] == (11, pytest.approx(waited), pytest.approx(waited))
    assert lags["commit_to_parsed"] == (
        10, pytest.approx(waited + 65), pytest.approx(waited + 70),
    )  # fmt: skip


def test_what_no_run_has_parsed_counts_however_old_it_is(known: Lake) -> None:
    query = "select unparsed_messages, unparsed_since from silver.freshness where feed = 'halted'"
    landed = NOW - 12 * DAY
    known.land((b"{", landed, landed), feed="halted")
    known.build()
    assert known.rows(query) == [(0, None)]
    waiting = NOW - 10 * DAY
    known.land((b"{", waiting, waiting), feed="halted")
    ((count, since),) = known.rows(query)
    assert (count, since.astimezone(UTC)) == (1, waiting)


def test_events_and_rejects_are_counted_by_day(known: Lake) -> None:
    today, old = ((NOW - HOUR + 60 * SECOND).date(), (NOW - 40 * DAY).date())
    assert known.rows(
        "select landed_date, format, database_name, schema_name, table_name, event_type, operation,"
        f" events from silver.event_counts where feed = '{FEED}' order by landed_date, operation"
    ) == [
        (old, "canal", FEED, None, ODD, "row", "delete", 1),
        (today, "canal", FEED, None, ODD, "row", "insert", 20),
        (today, "canal", FEED, None, ODD, "row", "snapshot", 1),
    ]
    assert known.rows(
        "select landed_date, format, kafka_topic, reject_reason, messages"
        f" from silver.rejects_by_reason where feed = '{FEED}' order by reject_reason"
    ) == [
        (today, "canal", FEED, "malformed_json", 1),
        (today, "canal", FEED, "not_a_json_object", 1),
    ]


def test_sizes_are_those_that_delta_says(known: Lake, figures: Figures) -> None:
    found = {(one["schema_name"], one["table_name"]): one for one in figures.sizes}
    for schema, name in (("bronze", "canal"), *(("silver", one) for one in sorted(TABLES))):
        one = found[schema, name]
        detail = known.spark.sql(f"describe detail {schema}.{name}").first()
        count = known.spark.table(f"{schema}.{name}").count()
        assert (one["stored_rows"], one["bytes"], one["files"]) == (
            count, detail.sizeInBytes, detail.numFiles,
        ), name  # fmt: skip
    # Each report adds a row per table.
    newest = "(select max(measured_at) from silver.table_sizes)"
    stored = known.rows(
        "select schema_name, table_name, stored_rows, bytes, files from silver.table_sizes"
        f" where measured_at = {newest}"
    )
    columns = ("stored_rows", "bytes", "files")
    assert sorted(stored) == sorted(
        (*key, *(one[name] for name in columns)) for key, one in found.items()
    )


def summary(**changed: Any) -> RunSummary:
    """Return the summary of a run that found nothing new, except for the given values."""
    return RunSummary(**changed)


def test_runs_say_what_they_cost(known: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(costs.time, "monotonic", lambda: clock[0])
    noted = RunCosts("local")
    nodes = [
        NodeResult("t", "model", "success", "", 1),
        NodeResult("is_key_t", "test", "fail", "", 1),
        NodeResult("u", "model", "skipped", "", 0),
    ]
    landed = [
        FeedResult("a", "canal", messages=7, bytes=70),
        FeedResult(ODD, "canal", error="lost"),
    ]
    rejected = [Rejected("a", "r", 2)]
    noted.add(2.5, summary(landed=landed, built=nodes, rejected=rejected, exit_code=3))
    for seconds in (0.25, 0.25, 0.5):
        noted.add(seconds, summary())
    for _ in range(2):
        noted.add(0.125, summary(exit_code=1, error="no broker"))
    clock[0] += costs.IDLE_SECONDS
    noted.add(0.125, summary(exit_code=1, error="no broker"))
    # as if Java had ended
    monkeypatch.setattr(costs, "_cpu_seconds", lambda: (costs.time.process_time(), 0.0))
    noted.add(0.5, summary())
    noted.close()
    lines = settings.local_path(settings.location("monitoring", "runs", "local"))
    assert lines
    (file,) = lines.iterdir()
    with file.open("a") as out:
        out.write('{"started_at": "2026-')
    known.spark.catalog.refreshTable("monitoring.runs")
    columns = (
        "runs, seconds, messages_landed, bytes_landed, messages_rejected, models_built, failed,"
        " exit_code, error"
    )
    assert known.rows(f"select {columns} from silver.run_costs order by ended_at, runs desc") == [
        (1, 2.5, 7, 70, 2, 1, [ODD, "is_key_t"], 3, f"feed {ODD}: lost"),
        (3, 1.0, 0, 0, 0, 0, [], 0, None),
        (3, 0.375, 0, 0, 0, 0, [], 1, "no broker"),
        (1, 0.5, 0, 0, 0, 0, [], 0, None),
    ]
    ((first, others, least, ordered),) = known.rows(
        "select max_by(cpu_seconds, messages_landed), sum(cpu_seconds), min(cpu_seconds),"
        " bool_and(ended_at >= started_at) from silver.run_costs"
    )
    # First come the CPU seconds of Python and Java since their start, then almost none.
    assert first > 5 > others - first and least >= 0 and ordered


def test_a_lake_that_no_run_has_touched_for_long_needs_attention(
    known: Lake, tmp_path: Path
) -> None:
    lines = settings.local_path(settings.location("monitoring", "runs", "local"))
    assert lines
    shutil.rmtree(lines, ignore_errors=True)
    unseen = "no run of scripts/run.py is noted"
    assert unseen in attention(take_figures(known.spark, "local"), 60)
    ended = NOW - 8 * DAY
    run = {"started_at": ended - SECOND, "ended_at": ended, "runs": 1, "seconds": 1, "exit_code": 0}
    json_lines.append_lines("runs", "local", [run])
    figures = take_figures(known.spark, "local")
    said = attention(figures, 60)
    assert "the last run ended 8 d ago" in {re.sub("(8 d).* ago", r"\1 ago", one) for one in said}
    assert unseen not in said
    assert "The last run ended 8 d" in page(figures, 60)
    write_metrics(figures, tmp_path / "m.prom")
    read = metrics_of(tmp_path / "m.prom")
    assert read["changelake_last_run_timestamp_seconds",] == pytest.approx(ended.timestamp())
    assert read["changelake_last_run_exit_code",] == 0


def test_a_run_that_a_signal_has_ended_is_no_failure(known: Lake) -> None:
    for n, (code, has_failed) in enumerate([(143, False), (6, True)]):
        line = {"started_at": NOW, "ended_at": NOW + n * SECOND, "runs": 1, "seconds": 1}
        json_lines.append_lines("runs", "local", [line | {"exit_code": code, "failed": []}])
        figures = take_figures(known.spark, "local")
        (last,) = figures.last_run
        assert (last["exit_code"], last["has_failed"]) == (code, has_failed)
        said = [one for one in attention(figures, 86_400) if f"ended with {code}" in one]
        assert len(said) == has_failed
        ended = re.findall("<span([^>]*)>exit code", page(figures, 60))
        assert ended == [' class="bad"' if has_failed else ""]


def test_a_lake_in_a_store_writes_nothing_and_a_full_disk_ends_no_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(settings.HOME_VARIABLE, "s3a://bucket/lake")
    RunCosts("local").add(1.0, summary())
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    (tmp_path / "monitoring").write_text("no directory")
    RunCosts("local").add(1.0, summary())
    # Sizes of tables are not written either, and no error is raised.
    json_lines.append_lines("tables", "local", [{"bytes": 1}])
    assert (tmp_path / "monitoring").read_text() == "no directory"


def test_a_summary_that_finds_no_room_leaves_no_run_uncounted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    app = runpy.run_path(str(SCRIPTS / "run.py"))["app"]
    done = CliRunner().invoke(
        app, ["--target", "sample", "--bootstrap-servers", "b:1", "--summary", "/dev/full"]
    )
    assert done.exit_code == 1
    # in addition to the run's own error
    assert "error: --summary cannot be written: No space left on device\n" in done.output
    assert "error: target sample builds from the seeds" in done.output
    (file,) = (tmp_path / "monitoring" / "runs" / "sample").iterdir()
    assert json.loads(file.read_text())["exit_code"] == 1


def test_old_files_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    folder = tmp_path / "monitoring" / "runs" / "local"
    folder.mkdir(parents=True)
    today = datetime.datetime.now(UTC).date()
    # This lake has a run every other day.
    days = [f"{today - datetime.timedelta(n)}.jsonl" for n in range(0, 200, 2)]
    for day in days[1:]:
        (folder / day).touch()
    RunCosts("local").add(1.0, summary())
    assert {file.name for file in folder.iterdir()} == set(days[: json_lines.KEPT_DAYS // 2])


def test_an_old_file_that_another_process_removes_is_no_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    days = [f"{datetime.date(2026, 1, 1) + datetime.timedelta(n)}.jsonl" for n in range(100)]
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [self / day for day in days])
    json_lines.append_lines("runs", "local", [{"runs": 1}])
    (file,) = (tmp_path / "monitoring" / "runs" / "local").iterdir()
    assert json.loads(file.read_text()) == {"runs": 1}


class Page(HTMLParser):
    """The references in a page, and the texts of its cells and lines."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element's references."""
        self.tags.add(tag)
        for name, value in attrs:
            # A namespace is only a name; nothing is fetched from it.
            if not name.startswith("xmlns") and re.search(r"url\(|//", value or ""):
                self.references.append(f"{name}={value}")
            if name in ("href", "src", "srcset", "data", "xlink:href") or name.startswith("on"):
                self.references.append(f"{name}={value}")

    def handle_data(self, data: str) -> None:
        """Record a text."""
        self.texts.append(data.strip())


def test_the_page_needs_no_network_and_no_name_is_taken_for_html(figures: Figures) -> None:
    drift = [{"model": ODD, "kind": "not_declared", "columns": 1, "names": ODD}]
    odd = [{**one, "reject_reason": ODD} for one in figures.rejects if one["feed"] == FEED][:1]
    text = page(replace(figures, drift=drift, rejects=[*figures.rejects, *odd]), 60)
    read = Page(text)
    assert read.references == []
    assert read.tags.isdisjoint({"script", "link", "img", "iframe", "object", "image"})
    assert "@import" not in text and "url(" not in text
    shown = ODD.replace("\u202e", "\\u202e")
    assert {f"{FEED}.{shown}", shown} <= set(read.texts)
    # the operations, and a reject's reason in a chart's legend
    assert {"insert", "snapshot", "malformed_json"} <= set(read.texts)
    assert html.escape("<script>", quote=False) in text
    assert "prefers-color-scheme: dark" in text


def test_what_needs_attention_is_said(known: Lake, figures: Figures) -> None:
    said = attention(figures, 1800)
    assert "silent: no message has come yet" in said
    assert any("of the last 24 hours' messages one in a hundred took 1 h" in one for one in said)
    assert f"{FEED}: 1 message rejected since yesterday: malformed_json" in said
    # Feeds of other tests in this process have older commits.
    said = [one for one in attention(figures, 86_400) if one.startswith(f"{FEED}, ")]
    assert not any("one in a hundred" in one for one in said)
    known.land((change(NOW), NOW, NOW + SECOND))
    waiting = take_figures(known.spark, "local")
    (fresh,) = (one for one in waiting.freshness if one["feed"] == FEED)
    assert fresh["unparsed_messages"] == 1 and 0 < fresh["unparsed_since_age"] < 3600
    said = attention(waiting, 0)
    assert any("1 message landed, the first" in one and "not parsed yet" in one for one in said)
    run = {
        "runs": 1, "exit_code": 4, "has_failed": True, "failed": ["t"], "error": None,
        "ended_at_age": 7200.0,
    }  # fmt: skip
    last = run | {"error": "no", "failed": []}
    other = run | {"runs": 3, "exit_code": 1, "failed": [], "error": "no such feed"}
    runs = [run, other, run | {"ended_at_age": 3600.0, "failed": ["u", "v"]}, last]
    said = attention(replace(waiting, runs=runs, last_run=[last]), 60)
    assert said[:4] == [
        "the last run, 2 h ago, ended with 4: no",
        "3 runs of the last 7 days ended with 1, the latest 2 h ago: no such feed",
        "2 runs of the last 7 days ended with 4, the latest 1 h ago: u, v",
        "the last run ended 2 h ago",
    ]
    # A type that a run has already followed needs no attention.
    drift = [
        {"model": "m", "kind": kind, "columns": 1, "names": "v"}
        for kind in ("never_seen", "type_changed")
    ]
    said = attention(replace(waiting, drift=drift, open=["m: the key is v"]), 0)
    assert said[-2:] == ["to decide: m: the key is v", "m: 1 column never seen: v"]
    known.build()
    (fresh,) = (one for one in take_figures(known.spark, "local").freshness if one["feed"] == FEED)
    assert fresh["unparsed_messages"] == 0


def test_a_lake_without_anything_has_a_page_and_metrics(tmp_path: Path) -> None:
    empty = Figures(NOW, "sample", [], [], [], [], [], [], [], [], [], [], [])
    text = page(empty, 60)
    assert "Nothing needs attention" in text and "<svg" not in text
    write_metrics(empty, tmp_path / "m.prom")
    assert metrics_of(tmp_path / "m.prom") == {
        ("changelake_report_timestamp_seconds",): NOW.timestamp()
    }


def metrics_of(file: Path) -> dict[tuple[str, ...], float]:
    """Return a file's samples by metric name and label values, in the order of label names."""
    return {
        (sample.name, *(sample.labels[one] for one in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(file.read_text())
        for sample in family.samples
    }


def test_prometheus_reads_the_metrics(figures: Figures, tmp_path: Path) -> None:
    drift = [{"model": 'odd "\\\n', "kind": "never_seen", "columns": 2, "names": ""}]
    file = tmp_path / "lake.prom"
    # This feed's format has changed.
    (fresh,) = (one for one in figures.freshness if one["feed"] == FEED)
    other = fresh | {"format": "debezium", "unparsed_messages": 7}
    freshness = [*figures.freshness, other]
    write_metrics(replace(figures, drift=drift, freshness=freshness), file)
    read = metrics_of(file)
    assert read["changelake_lag_seconds", FEED, "canal", FEED, "0.5", "kafka_to_landed"] == 60
    assert read["changelake_messages", FEED, "canal", "rejected"] == 2
    assert read["changelake_messages", FEED, "canal", "tombstone"] == 1
    assert read["changelake_rejected_messages", FEED, "malformed_json"] == 1
    assert read["changelake_drifted_columns", "never_seen", 'odd "\\\n'] == 2
    assert read["changelake_unparsed_messages", "silent", "canal", ""] == 0
    assert read["changelake_unparsed_messages", FEED, "canal", FEED] == 0
    assert read["changelake_unparsed_messages", FEED, "debezium", FEED] == 7
    assert ("changelake_newest_timestamp_seconds", "silent", "canal", "", "landed") not in read
    sizes = {(one["schema_name"], one["table_name"]): one for one in figures.sizes}
    for metric, column in (("rows", "stored_rows"), ("bytes", "bytes"), ("files", "files")):
        name = f"changelake_table_{metric}"
        assert read[name, "bronze", "canal"] == sizes["bronze", "canal"][column] > 0
    # No temporary file is left beside it.
    assert [one.name for one in tmp_path.iterdir()] == ["lake.prom"]


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Return a function that runs the command and returns its exit code and output."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    app = runpy.run_path(str(SCRIPTS / "report.py"))["app"]

    def call(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, arguments)
        return done.exit_code, " ".join(done.output.split())

    return call


def test_the_command_writes_a_page_or_metrics(
    known: Lake, report: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    file, metrics = tmp_path / "r.html", tmp_path / "m.prom"
    assert report("--output", str(file), "--prometheus", str(metrics)) == (
        0, f"written: {metrics} written: {file}",
    )  # fmt: skip
    assert "Health of the lake" in file.read_text() and len(metrics_of(metrics)) > 20


def test_what_the_command_cannot_do_is_said(
    report: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, said = report("--output", str(tmp_path))
    assert code == 1 and f"--output {tmp_path} cannot be written: Is a directory" in said
    code, said = report("--prometheus", str(tmp_path))
    assert code == 1 and f"--prometheus {tmp_path} cannot be written: Is a directory" in said
    code, said = report("--late", "soon")
    assert code == 1 and "--late soon: write numbers and units" in said
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path / "none"))
    code, said = report("--output", str(tmp_path / "r.html"))
    assert code == 1 and "there is no lake in" in said


def test_a_lake_of_an_earlier_version_has_to_be_built_first(
    monkeypatch: pytest.MonkeyPatch, spark: Any
) -> None:
    old: Any = SimpleNamespace(
        catalog=SimpleNamespace(tableExists=lambda name: False),
        sparkContext=spark.sparkContext,
    )
    for target, build in (("local", "scripts/run.py"), ("sample", "dbt build")):
        with pytest.raises(UserError, match=f"no models of its health yet: run `{build}` first"):
            take_figures(old, target)


def test_a_library_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = Figures(NOW, "local", [], [], [], [], [], [], [], [], [], [], [])
    for module in ("vl_convert", "prometheus_client"):
        monkeypatch.setitem(sys.modules, module, None)
    events = [{"landed_date": "2026-03-01", "operation": "insert", "events": 1}]
    with pytest.raises(UserError, match="the report needs vl-convert: run `make setup`"):
        page(replace(empty, events=events), 60)
    with pytest.raises(UserError, match="--prometheus needs prometheus-client: run `make setup`"):
        write_metrics(empty, tmp_path / "m.prom")


def dbt(*arguments: str) -> dict[str, str]:
    """Run dbt; return the status of each node by name."""
    outcome = dbtRunner().invoke([*QUIET, *arguments, "--target", "local"])
    assert not outcome.exception, outcome.exception
    results: Any = outcome.result
    return {
        one.node.name: str(one.status)
        for one in results.results
        # hooks at a run's start and end
        if one.node.resource_type != "operation"
    }


def test_sources_are_fresh_or_late_as_the_vars_say(known: Lake) -> None:
    known.land((change(NOW), NOW, datetime.datetime.now(UTC)))
    found = dbt("source", "freshness")
    assert found.pop("canal") == "pass"
    # The other tables have no feed here, unless other tests have given them one.
    assert found["dts_avro"] == "pass"
    late = ("source", "freshness", "--select", "source:bronze.canal", "--vars")
    assert dbt(*late, "{changelake_warn_minutes: 0}") == {"canal": "warn"}
    assert dbt(*late, "{changelake_error_minutes: 0}") == {"canal": "error"}


def test_alerts_warn_and_fail_where_they_are_asked_for(known: Lake) -> None:
    assert dbt("test", "--select", "tag:alert") == {}
    found = dbt("test", "--select", "tag:alert", "--vars", "{changelake_lag_minutes: 5}")
    assert (found["alert_no_rejects"], found["alert_no_lag"]) == ("warn", "fail")
    found = dbt("test", "--select", "alert_no_lag", "--vars", "{changelake_lag_minutes: 99999999}")
    assert found == {"alert_no_lag": "pass"}


def test_a_run_makes_no_view_again_and_an_older_lake_gets_its_columns(known: Lake) -> None:
    known.land((change(NOW), NOW, NOW + SECOND))
    names = {one.name for one in known.build().nodes if one.kind == "model"}
    assert names >= TABLES and names.isdisjoint(VIEWS)
    counts = "silver.message_counts_by_day"
    known.spark.sql(
        f"create or replace table {counts} using delta partitioned by (format, landed_date) as"
        f" select * except (newest_committed_at, newest_kafka_timestamp) from {counts}"
    )
    known.spark.sql("drop view silver.freshness")
    with (known.project / "models" / "monitoring" / "lag.sql").open("a") as model:
        model.write("\n-- another version\n")
    names = {one.name for one in known.build().nodes if one.kind == "model"}
    assert names >= VIEWS
    assert known.rows(
        f"select newest_committed_at, newest_landed_at is null from silver.freshness"
        f" where feed = '{FEED}'"
    ) == [(None, False)]
