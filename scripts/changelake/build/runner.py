"""Builds silver, then the tables with pending changes."""

import contextlib
import os
import time
from collections.abc import Callable, Generator, Sequence, Set
from typing import TYPE_CHECKING, Any

from rich.console import Console

from changelake.build.dbt import Build
from changelake.build.idle import checksum_of, inputs, outputs
from changelake.build.marks import Marks
from changelake.build.report import BuildReport, BuildResult, NodeResult, Rejected
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS, Feed, read_feeds
from changelake.landing.bronze import landed_between
from changelake.spark.catalog import damaged_tables, restore_catalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Left to a bare `dbt build`: of the second one the accounting sees the most.
LEFT_OUT = ("test_type:unit", "test_name:unique_rows")
# What they test is the project's own, or checked in feeds.csv before.
OF_THE_PROJECT = ("test_name:unique", "test_name:not_null", "test_name:accepted_values")
SILVER_FOLDERS = ("macros", "models/silver", "models/monitoring", "seeds")


def build_pending(
    spark: Any,
    target: str,
    feeds: list[Feed],
    console: Console,
    select: Sequence[str] = (),
    retry: bool = False,
    report: BuildReport | None = None,
    parsed: Callable[[], Any] | None = None,
) -> BuildResult:
    """Build silver, then the tables with pending changes.

    Args:
        spark: the session.
        target: the profile's target.
        feeds: the feeds of this run; only their formats are parsed.
        console: where to say what is built.
        select: what to build instead, as dbt selects.
        retry: parse the rejects once more.
        report: what says it of each node; by default one on the console.
        parsed: returns the parsed project where it is under way already, see Build.
    """
    report = report or BuildReport(console)
    # A batch has the milliseconds of its beginning, or more: so nothing has to be asked before.
    since = int(time.time() * 1000)
    if entered := restore_catalog(spark):
        # what else the catalog has not, views and seeds, is made anew
        Marks(target).forget()
        console.print(f"tables that the catalog did not know: {', '.join(entered)}", markup=False)
    # A server's tables are not looked at here, and the samples' bronze has no versions to go by.
    formats = {feed.format for feed in read_feeds(target=target)}
    can_idle = bool(spark) and target == "local" and not select and not retry
    before = inputs(spark, formats) if can_idle else {}
    last, now = Marks(target).idle(), {**before, **outputs(spark, formats)} if before else {}
    if now and last == now:
        console.print("nothing new: no message has come since the last run")
        return BuildResult()
    is_little = bool(now) and _is_little(spark, last, now)
    with generated_code(spark, not is_little):
        project = Build(spark, target, report.finished, parsed)
        built = _build_pending(project, feeds, console, select, retry, report, is_little)
    is_whole = formats == {feed.format for feed in feeds}
    if before and is_whole and not built.failed and not built.failed_tests and not _waiting(spark):
        Marks(target).write(idle={**before, **outputs(spark, formats)})
    if any(node.status == "error" for node in built.failed):
        for name, directory in damaged_tables(spark).items():
            console.print(
                f"the log of {name} is damaged: restore the directory {directory}, or remove it,"
                " and the next run makes the table anew from what it is made of",
                markup=False, soft_wrap=True,
            )  # fmt: skip
    built.rejected = _rejected(spark, built.nodes, since)
    return built


# Fewer messages than these are parsed and merged sooner without generated code, also where they are
# all of one table; of more tables it would be twice as many (docs/decisions/0002-speed.md).
LITTLE = 50_000


def _is_little(spark: "SparkSession", last: dict[str, Any], now: dict[str, Any]) -> bool:
    """Say whether a run has few messages to look at, as far as that is soon known.

    Args:
        spark: the session.
        last: what the last run that left nothing to do was made of, see Marks.idle(); empty: none.
        now: what this run is made of, likewise.
    """
    # what is new, has changed or was lost is made of all messages that there are
    data = {"bronze": None, "events": None}
    since: dict[str, int] = last["bronze"] if {**last, **data} == {**now, **data} else {}
    landed = [
        landed_between(spark, one, since.get(one, -1), newest)
        for one, newest in now["bronze"].items()
    ]
    return None not in landed and sum(filter(None, landed)) < LITTLE


@contextlib.contextmanager
def generated_code(spark: "SparkSession | None", generated: bool) -> Generator[None]:
    """Have Spark compile the queries of a build, or not, where CHANGELAKE_CODEGEN does not say."""
    if spark is None or settings.CODEGEN_VARIABLE in os.environ:
        yield
        return
    confs = settings.CODEGEN if generated else settings.NO_CODEGEN
    before: dict[str, Any] = {name: spark.conf.get(name) for name in confs}
    for name, value in confs.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def _waiting(spark: "SparkSession") -> bool:
    """Say whether half of a pair waits for the other, which an idle run may give up."""
    events = "silver.dataworks_streamx_events"
    return bool(
        spark.catalog.tableExists(events)
        and spark.sql(f"select 1 from {events} where outcome = 'waiting' limit 1").collect()
    )


def _rejected(spark: "SparkSession", nodes: list[NodeResult], since: int) -> list[Rejected]:
    parsed = {node.name for node in nodes if node.kind == "model" and node.status == "success"}
    selects = [
        "select feed, reject_reason, count_if(row_index = 0) as messages"
        f" from silver.{events} where outcome = 'rejected' and parse_batch >= {since} group by all"
        for events in sorted(parsed & {f"{one}_events" for one in FORMATS})
    ]
    rows: list[Any] = []
    if selects:
        rows = spark.sql(" union all ".join(selects) + " order by all").collect()
    return [Rejected(*row) for row in rows]


def _build_pending(
    project: Build,
    feeds: list[Feed],
    console: Console,
    select: Sequence[str],
    retry: bool,
    report: BuildReport,
    is_little: bool,
) -> BuildResult:
    variables = ["--vars", "{changelake_retry_rejects: true}"] if retry else []
    if select:
        chosen = project.invoke("build", "--select", *select, *variables)
        if not chosen.nodes:
            raise UserError(f"--select {' '.join(select)} names nothing that could be built")
        return chosen
    marks = Marks(project.target)
    silver = _build_silver(project, marks, {feed.format for feed in feeds}, variables)
    unbuilt = {node.name for node in silver.failed}
    errors = {node.name for node in silver.failed if node.status == "error"}
    # A format that cannot be read keeps no other from its tables; what else goes wrong does.
    broken = unbuilt & {f"{one}_events" for one in FORMATS}
    if errors - broken or (unbuilt and not errors):
        return silver
    listed = {feed.feed for feed in read_feeds(target=project.target)}
    tables = _build_tables(project, marks, console, broken, listed, report, is_little)
    return BuildResult(silver.nodes + tables.nodes)


def _build_silver(
    project: Build, marks: Marks, formats: Set[str], variables: list[str]
) -> BuildResult:
    # Only the formats' events and what counts them; all of it where its files have changed.
    checksums = {"silver": checksum_of(*SILVER_FOLDERS), "current": checksum_of("models/current")}
    if marks.checksum("silver") == checksums["silver"]:
        chosen = [f"{one}_events" for one in sorted(formats)]
        if marks.checksum("current") != checksums["current"]:
            chosen.append("declared_source_columns")
        chosen += ["message_counts_by_day", "source_columns", "every_message_is_accounted_for"]
        silver = project.invoke("build", "--select", *chosen, "--exclude", *LEFT_OUT, *variables)
    else:
        silver = project.invoke(
            "build", "--select", "resource_type:seed", "path:models/silver",
            "path:models/monitoring", "test_type:singular",
            "--exclude", *LEFT_OUT, *OF_THE_PROJECT, *variables,
        )  # fmt: skip
    if not silver.failed:
        marks.write(**checksums)
    return silver


def _build_tables(
    project: Build,
    marks: Marks,
    console: Console,
    broken: Set[str],
    feeds: Set[str],
    report: BuildReport,
    is_little: bool,
) -> BuildResult:
    # Those with pending changes, and that are not of `broken` tables of events.
    built = BuildResult()
    tables = project.tables()
    if not tables:
        console.print("no tables are declared yet: write their models with scripts/onboard.py")
        return built
    if remark := _without_rows(tables, feeds):
        console.print(remark, markup=False)
    seen = {name for name, table in tables.items() if table["events"] not in broken}
    pending, batches = project.pending_tables(marks.batches(), marks.tables(), without=broken)
    if pending:
        report.plan(pending)
        states = {tables[name]["state"] for name in pending}
        with generated_code(project.spark, not is_little or project.has_large_table(states)):
            built = project.invoke("build", "--select", *pending)
        failed = {node.name for node in built.failed}
        # Of what is no table nothing says whose events it would have seen: none are marked.
        if failed - tables.keys():
            return built
        behind = {tables[name]["events"] for name in failed}
        batches = {name: batch for name, batch in batches.items() if name not in behind}
        seen -= failed
    known = seen | (marks.tables() & tables.keys())
    marks.write(batches=marks.batches() | batches, tables=sorted(known))
    return built


def _without_rows(tables: dict[str, dict[str, Any]], feeds: Set[str]) -> str:
    """Return what to say of tables that name feeds which there are not, empty if none does."""
    unknown: dict[str, set[str]] = {
        name: set(table["feeds"]) - feeds for name, table in tables.items()
    }
    named = sorted(set[str]().union(*unknown.values()))
    if not named:
        return ""
    models = sorted(name for name, found in unknown.items() if found)
    return (
        f"seeds/feeds.csv does not have {', '.join(named)}, of which no rows come for"
        f" {', '.join(models[:3])}{f' and {len(models) - 3} more' * (len(models) > 3)}"
    )
