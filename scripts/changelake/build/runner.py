"""Builds with dbt in this process, and only the tables with pending changes."""

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any

from rich.console import Console

from changelake.build.idle import checksum_of, inputs, relations
from changelake.build.report import BuildReport, BuildResult, NodeResult, Rejected
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS, Feed, read_feeds
from changelake.core.files import write_whole
from changelake.landing.bronze import landed_between
from changelake.spark.catalog import damaged_tables, restore_catalog

SAMPLES = "path:seeds/samples"
# What they test is the project's own, or checked in feeds.csv before: a bare `dbt build` runs them.
OF_THE_PROJECT = ("test_name:unique", "test_name:not_null", "test_name:accepted_values")
CURRENT, HISTORY = "current_table", "history_table"


class Build:
    """A dbt project with its parsed manifest, in one process and one Spark session.

    Args:
        spark: the session, with the catalog; None for target cluster, whose server dbt asks.
        target: the profile's target.
        report: called with each finished node.
    """

    def __init__(self, spark: Any, target: str, report: Callable[[NodeResult], None]) -> None:
        self._spark = spark
        self._target = target
        self._report = report
        self._manifest: Any = None

    def invoke(self, command: str, *arguments: str) -> BuildResult:
        """Run a dbt command.

        Raises:
            UserError: dbt could not start: a broken project, model or selection.
        """
        from dbt.cli.main import dbtRunner

        os.chdir(settings.REPO)
        # vars decide how the models are read: with other ones they are read again
        finished = _Finished(self._report)
        runner = dbtRunner(None if "--vars" in arguments else self._manifest, [finished])
        outcome = runner.invoke(
            ["--quiet", "--log-level", "none", "--no-use-colors", command, "--target", self._target]
            + list(arguments)
        )
        _check(outcome)
        results = getattr(outcome.result, "results", None) or []
        return BuildResult([finished.said(one) for one in results])

    def parse(self) -> Any:
        """Return the project's manifest, parsed once."""
        if self._manifest is None:
            from dbt.cli.main import dbtRunner

            os.chdir(settings.REPO)
            outcome = dbtRunner().invoke(
                ["--quiet", "--log-level", "none", "parse", "--target", self._target]
            )
            _check(outcome)
            self._manifest = outcome.result
        return self._manifest

    def formats(self) -> set[str]:
        """Return the formats that there is a parser for."""
        nodes = self.parse().nodes.values()
        models = {node.name for node in nodes if node.resource_type == "model"}
        return {one for one in FORMATS if f"{one}_events" in models}

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the meta of each model of a current or history table, by its name.

        With `events`, the name of the events that it is made of, and `state`, that of its state.

        Raises:
            UserError: a history of a table that is not there, or a meta that lacks something.
        """
        models = [node for node in self.parse().nodes.values() if node.resource_type == "model"]
        current = {node.name: node for node in models if node.config.materialized == CURRENT}
        for node in current.values():
            if missing := _missing(node.config.meta):
                raise UserError(
                    f"{node.original_file_path} does not say {missing!r} in its meta: write it"
                    " there as scripts/onboard.py does, or remove the file"
                )
        tables = {
            name: {**node.config.meta, "events": _events_model(node), "state": node.alias}
            for name, node in current.items()
        }
        for node in models:
            if node.config.materialized != HISTORY:
                continue
            if (of := node.config.meta.get("current")) not in current:
                raise UserError(
                    f"{node.original_file_path} names no current model ({of}):"
                    " write the name of one into its meta, as `current`, or remove the file"
                )
            tables[node.name] = {**tables[of], "state": f"{node.alias}__history"}
        return tables

    def pending_tables(
        self, built: dict[str, int], known: Set[str], without: Set[str]
    ) -> list[str]:
        """Return the tables that have events since they were last built, or were never built.

        Args:
            built: by table of events, the last batch that all its tables have seen.
            known: the tables that were there then; what others have seen is not known.
            without: tables of events whose tables are left out.
        """
        tables = {
            name: table for name, table in self.tables().items() if table["events"] not in without
        }
        existing: set[str] = set()
        if self._spark.catalog.databaseExists("state"):
            existing = {row.tableName for row in self._spark.sql("show tables in state").collect()}
        selects = []
        for events in sorted({table["events"] for table in tables.values()}):
            since = built.get(events, 0)
            selects.append(
                "select distinct feed, database_name, schema_name, table_name"
                f" from silver.{events} where outcome = 'events' and parse_batch > {since}"
            )
        if not selects:
            return []
        seen = {tuple(row) for row in self._spark.sql(" union all ".join(selects)).collect()}
        return sorted(
            name
            for name, table in tables.items()
            if name not in known
            or table["state"] not in existing
            or any(_is_of(table, *place) for place in seen)
        )

    def last_batches(self, without: Set[str]) -> dict[str, int]:
        """Return the last batch of each table of events, of some `without`."""
        names = sorted({table["events"] for table in self.tables().values()} - without)
        if not names:
            return {}
        rows = self._spark.sql(
            " union all ".join(
                f"select '{name}', coalesce(max(parse_batch), 0) from silver.{name}"
                for name in names
            )
        ).collect()
        return {row[0]: row[1] for row in rows}


class _Finished:
    """Reports each node that dbt says has finished, in the thread in which it did.

    Args:
        report: called once with each node.
    """

    def __init__(self, report: Callable[[NodeResult], None]) -> None:
        self._report = report
        self._nodes: dict[str, NodeResult] = {}
        self._error: BaseException | None = None

    def __call__(self, event: Any) -> None:
        """Take one of dbt's events."""
        if event.info.name == "NodeFinished":
            node, result = event.data.node_info, event.data.run_result
            try:
                self._add(
                    node.unique_id, node.node_name, node.resource_type, result.status,
                    result.message, result.execution_time,
                )  # fmt: skip
            # dbt would wait for ever for a thread that ends
            except BaseException as error:
                self._error = self._error or error

    def said(self, one: Any) -> NodeResult:
        """Return one of dbt's results, reported also where no event came of it."""
        if self._error:
            raise self._error
        node = one.node
        return self._nodes.get(node.unique_id) or self._add(
            node.unique_id, node.name, node.resource_type, one.status, one.message,
            one.execution_time,
        )  # fmt: skip

    def _add(
        self, unique_id: str, name: str, kind: str, status: str, message: str | None, seconds: float
    ) -> NodeResult:
        text = one_line(str(message or ""))
        node = NodeResult(name, str(kind), str(status), text, round(seconds, 2))
        self._nodes[unique_id] = node
        self._report(node)
        return node


# Behind what went wrong stand Spark's whole plan, Java's stack, or dbt's macros.
_INSIDE = re.compile(
    r";\s*line \d+ pos \d+\b.*|;\n'.*"
    r"|\n[^\S\n]*(?:at [\w.$]+\(|JVM stacktrace:|== SQL|> (?:in|called by) macro ).*",
    re.S,
)
# What Python's bridge to Java puts before Java's own words.
_BRIDGE = re.compile(r"An error occurred while calling \w+\.\w+\.\s*:\s*(?:[\w.$]+: )?")
_CAUSE = re.compile(r"^[^\S\n]*Caused by: (?:[\w.$]+: )?([^\n]+)", re.MULTILINE)
_MOST_LETTERS = 1_000


def one_line(message: str) -> str:
    """Return what a message of dbt or Spark says in one line, without Spark's inside.

    Of Java's stack the innermost cause is kept.

    >>> one_line("Runtime Error\\n  [NOT_FOUND] no t; line 2 pos 14;\\n'Project [*]\\n+- 'T")
    'Runtime Error [NOT_FOUND] no t'
    >>> one_line("[BROKEN] the log\\n\\tat org.delta.Log.read(Log.scala:13)\\n\\tat java.Main.x()")
    '[BROKEN] the log'
    >>> one_line("it is wrong\\n\\n> in macro m (m.sql)\\n> called by model x (x.sql)")
    'it is wrong'
    >>> one_line("Task failed\\n\\tat a.B.c()\\nCaused by: java.io.IOException: No space\\n\\tat d")
    'Task failed: No space'
    """
    text = " ".join(_BRIDGE.sub("", _INSIDE.sub("", message)).split())
    cause = " ".join("".join(_CAUSE.findall(message)[-1:]).split())[: _MOST_LETTERS // 2]
    end = "" if cause in text else f": {cause}"
    room = _MOST_LETTERS - len(end)
    return (text if len(text) <= room else f"{text[:room]}…") + end


def _check(outcome: Any) -> None:
    # dbt hands back Ctrl-C like an error of its own
    if isinstance(outcome.exception, KeyboardInterrupt):
        raise outcome.exception
    if outcome.exception is not None:
        raise UserError(f"dbt: {one_line(str(outcome.exception))}")


def _missing(meta: dict[str, Any]) -> str:
    """Return what a current model's meta lacks, empty if nothing."""
    needed = ("feeds", "shards" if "shards" in meta else "table")
    return next((name for name in needed if name not in meta), "")


def _without_rows(tables: dict[str, dict[str, Any]], feeds: Set[str]) -> str:
    """Return what to say of tables that name feeds which there are not, empty if none does."""
    unknown = {name: set(table["feeds"]) - feeds for name, table in tables.items()}
    named = sorted(set().union(*unknown.values()))
    if not named:
        return ""
    models = sorted(name for name, found in unknown.items() if found)
    return (
        f"seeds/feeds.csv does not have {', '.join(named)}, of which no rows come for"
        f" {', '.join(models[:3])}{f' and {len(models) - 3} more' * (len(models) > 3)}"
    )


def _is_of(table: dict[str, Any], feed: str, *names: str | None) -> bool:
    # Whether a model is made of a source table, given by its feed, database, schema and name.
    if feed not in table["feeds"]:
        return False
    if pattern := table.get("shards"):
        return re.fullmatch(pattern, ".".join(part for part in names if part)) is not None
    return names == (table.get("database"), table.get("schema"), table["table"])


def _events_model(node: Any) -> str:
    names = [ref.name for ref in node.refs if ref.name.endswith("_events")]
    if len(names) != 1:
        raise UserError(f"model {node.name} has to select from one <format>_events model")
    return str(names[0])


class Marks:
    """What a lake's builds have done, in a file of the lake.

    Only for saving work: what is lost with it is built once more.
    """

    def __init__(self, target: str) -> None:
        self._file = Path(settings.home()) / f"built-{target}.json"
        self._marks: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError):
            self._marks = json.loads(self._file.read_text())

    def batches(self) -> dict[str, int]:
        """Return by table of events the last batch that all its tables have seen."""
        return dict(self._marks.get("batches", {}))

    def tables(self) -> set[str]:
        """Return the tables whose models were there then."""
        return set(self._marks.get("tables", ()))

    def write(self, **marks: Any) -> None:
        """Lay marks over the present ones, in one step."""
        self._marks.update(marks)
        write_whole(self._file, json.dumps(self._marks))

    def forget(self) -> None:
        """Remove all marks: everything is built once more, where there is nothing new as well."""
        self._file.unlink(missing_ok=True)

    def idle(self) -> dict[str, Any]:
        """Return what the last build was made of that left nothing to do, see idle()."""
        return dict(self._marks.get("idle", {}))

    def checksum(self, part: str) -> str:
        """Return the checksum of a part of the project as it was last built: silver or current."""
        return str(self._marks.get(part, ""))


SILVER_FOLDERS = ("macros", "models/silver", "models/monitoring", "seeds")


def build_pending(
    spark: Any,
    target: str,
    feeds: list[Feed],
    console: Console,
    select: Sequence[str] = (),
    retry: bool = False,
    report: BuildReport | None = None,
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
    can_idle = spark is not None and target == "local" and not select and not retry
    before = inputs(spark, formats) if can_idle else {}
    last, now = Marks(target).idle(), {**before, "relations": relations(spark)} if before else {}
    if now and last == now:
        console.print("nothing new: no message has come since the last run")
        return BuildResult()
    with _generated_code(spark, not (now and _is_little(spark, last, now))):
        built = _build_pending(spark, target, feeds, console, select, retry, report)
    is_whole = formats == {feed.format for feed in feeds}
    if before and is_whole and not built.failed and not built.failed_tests and not _waiting(spark):
        Marks(target).write(idle={**before, "relations": relations(spark)})
    if any(node.status == "error" for node in built.failed):
        for name, directory in damaged_tables(spark).items():
            console.print(
                f"the log of {name} is damaged: restore the directory {directory}, or remove it,"
                " and the next run makes the table anew from what it is made of",
                markup=False, soft_wrap=True,
            )  # fmt: skip
    built.rejected = _rejected(spark, built.nodes, since)
    return built


# Fewer messages than these are parsed and merged sooner without generated code.
LITTLE = 5_000


def _is_little(spark: Any, last: dict[str, Any], now: dict[str, Any]) -> bool:
    """Say whether a run has little to do: few messages since one that left nothing to do.

    Args:
        spark: the session.
        last: what that run was made of, see Marks.idle().
        now: what this run is made of, likewise.
    """
    # what is new, has changed or was lost is made of all that there is
    if {**last, "bronze": None} != {**now, "bronze": None}:
        return False
    since, newest = last["bronze"], now["bronze"]
    if since.keys() != newest.keys():
        return False
    landed = [landed_between(spark, one, since[one], newest[one]) for one in since]
    return None not in landed and sum(filter(None, landed)) < LITTLE


@contextlib.contextmanager
def _generated_code(spark: Any, generated: bool) -> Iterator[None]:
    """Have Spark compile the queries of a build, or not, where CHANGELAKE_CODEGEN does not say."""
    if generated or settings.CODEGEN_VARIABLE in os.environ:
        yield
        return
    before = {name: spark.conf.get(name) for name in settings.NO_CODEGEN}
    for name, value in settings.NO_CODEGEN.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def _waiting(spark: Any) -> bool:
    """Say whether half of a pair waits for the other, which an idle run may give up."""
    events = "silver.dataworks_streamx_events"
    return bool(
        spark.catalog.tableExists(events)
        and spark.sql(f"select 1 from {events} where outcome = 'waiting' limit 1").collect()
    )


def _rejected(spark: Any, nodes: list[NodeResult], since: int) -> list[Rejected]:
    parsed = {node.name for node in nodes if node.kind == "model" and node.status == "success"}
    selects = [
        "select feed, reject_reason, count_if(row_index = 0) as messages"
        f" from silver.{events} where outcome = 'rejected' and parse_batch >= {since} group by all"
        for events in sorted(parsed & {f"{one}_events" for one in FORMATS})
    ]
    rows = spark.sql(" union all ".join(selects) + " order by all").collect() if selects else []
    return [Rejected(*row) for row in rows]


def _build_pending(
    spark: Any,
    target: str,
    feeds: list[Feed],
    console: Console,
    select: Sequence[str],
    retry: bool,
    report: BuildReport,
) -> BuildResult:
    project = Build(spark, target, report.finished)
    variables = ["--vars", "{changelake_retry_rejects: true}"] if retry else []
    if select:
        chosen = project.invoke("build", "--select", *select, *variables)
        if not chosen.nodes:
            raise UserError(f"--select {' '.join(select)} names nothing that could be built")
        return chosen
    wanted, parsed = {feed.format for feed in feeds}, project.formats()
    if unknown := sorted(wanted - parsed):
        console.print(
            f"landed, but there is no parser yet for: {', '.join(unknown)}"
            " (the messages stay in bronze until there is)"
        )
    marks = Marks(target)
    silver = _build_silver(project, target, marks, wanted & parsed, variables)
    unbuilt = {node.name for node in silver.failed}
    errors = {node.name for node in silver.failed if node.status == "error"}
    # A format that cannot be read keeps no other from its tables; what else goes wrong does.
    broken = unbuilt & {f"{one}_events" for one in parsed}
    if errors - broken or (unbuilt and not errors):
        return silver
    listed = {feed.feed for feed in read_feeds(target=target)}
    tables = _build_tables(project, marks, console, broken, listed, report)
    return BuildResult(silver.nodes + tables.nodes)


def _build_silver(
    project: Build, target: str, marks: Marks, formats: Set[str], variables: list[str]
) -> BuildResult:
    # Only the formats' events and what counts them; all of it where its files have changed.
    checksums = {"silver": checksum_of(*SILVER_FOLDERS), "current": checksum_of("models/current")}
    if marks.checksum("silver") == checksums["silver"]:
        chosen = [f"{one}_events" for one in sorted(formats)]
        if marks.checksum("current") != checksums["current"]:
            chosen.append("declared_source_columns")
        chosen += ["message_counts_by_day", "source_columns", "every_message_is_accounted_for"]
        silver = project.invoke(
            "build", "--select", *chosen, "--exclude", "test_type:unit", *variables
        )
    else:
        excluded = [] if target == "sample" else [SAMPLES]
        silver = project.invoke(
            "build", "--select", "resource_type:seed", "path:models/silver",
            "path:models/monitoring", "test_type:singular",
            "--exclude", "test_type:unit", *OF_THE_PROJECT, *excluded, *variables,
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
) -> BuildResult:
    # Those with pending changes, and that are not of `broken` tables of events.
    built = BuildResult()
    tables = project.tables()
    if not tables:
        console.print("no tables are declared yet: write their models with scripts/onboard.py")
        return built
    if remark := _without_rows(tables, feeds):
        console.print(remark, markup=False)
    batches = project.last_batches(without=broken)
    seen = {name for name, table in tables.items() if table["events"] not in broken}
    if pending := project.pending_tables(marks.batches(), marks.tables(), without=broken):
        report.plan(pending)
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
