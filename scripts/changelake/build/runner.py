"""Builds silver, then the tables with pending changes."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console

from changelake.build.codegen import generated_code, is_little
from changelake.build.dbt import Build
from changelake.build.idle import changed_formats, event_versions, inputs, outputs
from changelake.build.marks import Marks
from changelake.build.pending import ALERTS, PendingBuild
from changelake.build.report import BuildReport, BuildResult, NodeResult, Rejected, Unreadable
from changelake.build.upkeep import due_upkeep
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS, Feed, feeds_file, read_feeds, shown_file
from changelake.core.macros import format_traits
from changelake.landing.bronze import BronzeTable
from changelake.spark.catalog import damage, damaged_tables, restore_catalog
from changelake.spark.sql_session import SqlSession

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# Why messages of the right format are rejected: their producer, or the registry, is to be set up.
_OF_ITS_FORMAT = {"unknown_schema", "open_protocol", "claim_check", "handle_key_only", "encrypted"}
# the model that counts messages by feed and outcome
COUNTS = "message_counts_by_day"


def build_pending(
    spark: Any,
    target: str,
    feeds: list[Feed],
    console: Console,
    select: Sequence[str] = (),
    retry: bool = False,
    report: BuildReport | None = None,
    parsed: Callable[[], Any] | None = None,
    server: SqlSession | None = None,
) -> BuildResult:
    """Build silver, then the tables with pending changes.

    Args:
        spark: the session of this process.
        target: the profile's target.
        feeds: the feeds of this run; only their formats are parsed.
        console: where to print what is built.
        select: what to build instead, in dbt's syntax.
        retry: parse the rejects again.
        report: gets each node; by default one that prints to the console.
        parsed: returns the project if its parsing has begun already, see Build.
        server: on a cluster, the session that has the catalog and runs the statements.
    """
    embedded = None if server else spark
    lake: SqlSession = server or spark
    report = report or BuildReport(console)
    # A batch's number is its start in milliseconds, or the last number + 1 if a clock was ahead: no
    # query is needed to know which batches are new.
    since = int(time.time() * 1000)
    seen = Marks(target).batches()
    if embedded:
        _restore_catalog(embedded, Marks(target), console)
    listed = read_feeds(target=target)
    formats, chosen = ({feed.format for feed in some} for some in (listed, feeds))
    # The bronze tables of the samples have no comparable versions.
    can_idle = bool(spark) and target != "sample" and not select and not retry
    before = inputs(spark, formats) if can_idle else {}
    last = Marks(target).idle()
    now = {**before, **outputs(embedded, lake, formats)} if before else {}
    if now:
        _forget_dropped(target, last, now, console)
    if now and not now["relations"] and not _has_landed(spark, now["bronze"]):
        console.print(
            "nothing has landed yet, so there is nothing to build: check --bootstrap-servers, and"
            f" that the topics in {shown_file(feeds_file(target))} have messages",
            markup=False,
            soft_wrap=True,
        )
        # a run that is repeated says so once
        Marks(target).write(idle=now)
        return BuildResult()
    if now and last == now:
        console.print("nothing new has landed since the last run")
        return BuildResult(open=Marks(target).open())
    has_little = bool(now and embedded) and is_little(spark, last, now)
    if last:
        # until a build has left nothing to do: one that fails is repeated
        Marks(target).write(idle={**last, "is_unfinished": True})
    project = Build(lake, target, report.finished, parsed, report.warned)
    variables = ["--vars", "{changelake_retry_rejects: true}"] if retry else []
    with generated_code(embedded, not has_little):
        if select:
            built = _build_selected(project, select, variables)
        else:
            pending = PendingBuild(project, listed, report, console, has_little)
            changed = changed_formats(last, now) if now else formats
            built = pending.run(chosen & changed, variables)
    is_done = bool(before) and formats == chosen and _leaves_nothing(built, lake, formats)
    if is_done:
        built.marks["idle"] = {**before, **outputs(embedded, lake, formats)}
    if embedded and any(node.status == "error" for node in built.failed):
        _name_damaged(embedded, console)
    built.rejected = _rejected(lake, built.nodes, since, seen)
    built.unreadable = _unreadable(lake, built, listed)
    if before and embedded and (remark := due_upkeep(Marks(target), before["bronze"])):
        console.print(remark, markup=False)
    # last of all: a run that ends before this is repeated
    if built.marks:
        Marks(target).write(**built.marks)
    return built


def _has_landed(spark: "SparkSession", versions: Mapping[str, int]) -> bool:
    # Whether one of these bronze tables has ever had a row: landing creates them empty.
    return any(
        version > 0 or (version == 0 and not BronzeTable(spark, one).is_untouched())
        for one, version in versions.items()
    )


def _forget_dropped(
    target: str, last: Mapping[str, Any], now: Mapping[str, Any], console: Console
) -> None:
    # Have everything rebuilt if relations are gone: the marks do not tell which model makes one, or
    # what was built from it.
    if dropped := sorted(set(last.get("relations", ())) - set(now["relations"])):
        Marks(target).forget()
        console.print(f"dropped since the last run: {', '.join(dropped)}", markup=False)


def _leaves_nothing(built: BuildResult, lake: SqlSession, formats: Collection[str]) -> bool:
    # Whether a build has left nothing to do for the next one.
    return not built.failed and not built.failed_tests and not _waiting(lake, formats)


def _restore_catalog(spark: "SparkSession", marks: Marks, console: Console) -> None:
    # Align the catalog with the lake's directories, and print what was wrong.
    catalog = restore_catalog(spark)
    for remark, names in (
        ("tables that the catalog did not know", catalog.registered),
        ("tables whose directory is gone, which are rebuilt", catalog.dropped),
    ):
        if names:
            # views and seeds, which the catalog lacks too, are rebuilt
            marks.forget()
            console.print(f"{remark}: {', '.join(names)}", markup=False)


def _name_damaged(spark: "SparkSession", console: Console) -> None:
    # Print the tables whose logs are damaged, which may be why a model has failed.
    for name, directory in damaged_tables(spark).items():
        console.print(damage(name, directory), markup=False, soft_wrap=True)


def is_idle(spark: "SparkSession", target: str, feeds: list[Feed]) -> bool:
    """Say whether nothing has come, changed or failed since a build that left nothing to do.

    It does not query the catalog, so it does not notice that a view or a current table was dropped;
    on a cluster it checks only bronze and the project.

    Args:
        spark: the session.
        target: the profile's target.
        feeds: all feeds.
    """
    formats = {feed.format for feed in feeds}
    last = Marks(target).idle()
    now = inputs(spark, formats)
    if target != settings.CLUSTER:
        now["events"] = event_versions(spark, formats)
    return "is_unfinished" not in last and now.items() <= last.items()


def _waiting(lake: SqlSession, formats: Collection[str]) -> bool:
    """Say whether half of a pair waits for the other one, which a run may give up."""
    names = [f"silver.{one}_events" for one in formats if format_traits(one)["waits_for_halves"]]
    return any(
        lake.sql(f"select 1 from {events} where outcome = 'waiting' limit 1").collect()
        for events in names
        if lake.catalog.tableExists(events)
    )


def _rejected(
    lake: SqlSession, nodes: list[NodeResult], since: int, seen: Mapping[str, int]
) -> list[Rejected]:
    parsed = {node.name for node in nodes if node.kind == "model" and node.status == "success"}
    selects = [
        "select feed, reject_reason, count_if(row_index = 0) as messages"
        f" from silver.{events} where outcome = 'rejected'"
        f" and parse_batch >= {max(since, seen.get(events, 0) + 1)} group by all"
        for events in sorted(parsed & {f"{one}_events" for one in FORMATS})
    ]
    rows: list[Any] = []
    if selects:
        rows = lake.sql(" union all ".join(selects) + " order by all").collect()
    return [Rejected(*row) for row in rows]


def _unreadable(lake: SqlSession, built: BuildResult, listed: Sequence[Feed]) -> list[Unreadable]:
    # The feeds with rejects that have never had a message which could be parsed.
    counted = any((one.name, one.status) == (COUNTS, "success") for one in built.nodes)
    if not (built.rejected and counted):
        return []
    rows = lake.sql(
        f"select distinct feed from silver.{COUNTS} where outcome not in ('rejected', 'tombstone')"
    ).collect()
    readable = {row.feed for row in rows}
    found: list[Unreadable] = []
    for feed in listed:
        some = [one for one in built.rejected if one.feed == feed.feed]
        told = _OF_ITS_FORMAT & {one.reason for one in some}
        if some and not told and feed.feed not in readable:
            most = max(some, key=lambda one: one.messages)
            found.append(Unreadable(feed.feed, feed.format, most.reason))
    return found


def _build_selected(project: Build, select: Sequence[str], variables: list[str]) -> BuildResult:
    built = project.invoke("build", "--select", *select, "--exclude", ALERTS, *variables)
    if not built.nodes:
        raise UserError(
            f"--select {' '.join(select)} names nothing that could be built: `dbt list --target"
            f" {project.target}` shows the names"
        )
    return built
