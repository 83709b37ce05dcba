"""dbt in this process, with one parsed project and one Spark session."""

import functools
import json
import os
import re
from collections.abc import Callable, Set
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import yaml
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from changelake.build.idle import PROJECT, checksum_of
from changelake.build.report import TESTS, BuildResult, NodeResult
from changelake.core import settings
from changelake.core.errors import UserError
from changelake.core.quoting import sql_name
from changelake.core.terminal import say
from changelake.spark.lake import Lake

CURRENT, HISTORY = "current_table", "history_table"
# What a run does where a source has changed a table.
EVOLVE_VARIABLE = "changelake_evolve"
EVOLVE = ADD, ASK, OFF = "add", "ask", "off"
# A MERGE reads the keys of all rows: of more than these, sooner with generated code, however few
# changes come (docs/decisions/0002-speed.md).
MANY_ROWS = 1_000_000
# Nothing on the console, and no manifest.json: of each command that would be a second of Python.
QUIET = ("--quiet", "--log-level", "none", "--no-use-colors", "--no-write-json")
# dbt lists exposures among what it has built
ONLY_BUILT = ("--exclude-resource-types", "exposure")


def parse(target: str) -> Any:
    """Return the project's manifest.

    Args:
        target: the profile's target.

    Raises:
        UserError: the project is broken.
    """
    from dbt.cli.main import dbtRunner

    os.chdir(settings.REPO)
    outcome = dbtRunner().invoke([*QUIET, "parse", "--target", target])
    _check(outcome)
    return outcome.result


class Parsing:
    """The parsing of the project in a thread of its own, while Java has other work.

    Args:
        target: the profile's target.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._thread = ThreadPoolExecutor(1)
        self._begun: Future[tuple[str, Any]] | None = None

    def begin(self) -> "Future[tuple[str, Any]]":
        """Begin, unless it has begun."""
        self._begun = self._begun or self._thread.submit(self._parse)
        return self._begun

    def wait(self) -> None:
        """Wait until it has ended, if it has begun."""
        if self._begun:
            wait([self._begun])

    def manifest(self) -> Any:
        """Return the project's manifest, parsed anew if its files have changed since.

        Raises:
            UserError: the project is broken.
        """
        checksum, manifest = self.begin().result()
        return manifest if checksum == checksum_of(*PROJECT) else parse(self._target)

    def _parse(self) -> tuple[str, Any]:
        return checksum_of(*PROJECT), parse(self._target)


class Build:
    """A dbt project with its parsed manifest, in one process and, but on a cluster, one session.

    Args:
        lake: the session, with the catalog; on a cluster its server's. None: nothing asks it.
        target: the profile's target.
        report: called with each finished node.
        parsed: called once, returns what parse() does for this target; None: that is parse().
    """

    def __init__(
        self,
        lake: Lake | None,
        target: str,
        report: Callable[[NodeResult], None],
        parsed: Callable[[], Any] | None = None,
    ) -> None:
        self.lake: Any = lake
        self.target = target
        self._report = report
        self._parsed = parsed or functools.partial(parse, target)
        self._manifest: Any = None

    @property
    def embedded(self) -> Any:
        """The session, with all that Spark offers; None on a cluster."""
        return None if self.target == settings.CLUSTER else self.lake

    def invoke(self, command: str, *arguments: str) -> BuildResult:
        """Run a dbt command.

        Raises:
            UserError: dbt could not start: a broken project, model or selection.
        """
        finished = _Finished(self._report)
        only = ONLY_BUILT if command == "build" else ()
        results = self._invoke([finished], command, *only, *arguments)
        nodes = [finished.said(one) for one in results]
        for node, one in zip(nodes, results, strict=True):
            if node.kind in TESTS:
                node.tested = tuple(each.split(".")[-1] for each in one.node.depends_on.nodes)
        return BuildResult(nodes)

    def operate(self, macro: str, arguments: dict[str, Any]) -> None:
        """Run a macro as a dbt operation, and say what it prints.

        Raises:
            UserError: it failed, or dbt could not start.
        """
        errors: list[str] = []

        def note(event: Any) -> None:
            if event.info.name == "PrintEvent":
                say(event.info.msg)
            elif event.info.level == "error":
                errors.append(one_line(event.info.msg))

        results = self._invoke([note], "run-operation", macro, "--args", json.dumps(arguments))
        if any(one.status == "error" for one in results):
            raise UserError(f"{macro}: {' '.join(errors)}")

    def _invoke(
        self, callbacks: list[Callable[[Any], None]], command: str, *arguments: str
    ) -> list[Any]:
        from dbt.cli.main import dbtRunner

        os.chdir(settings.REPO)
        # vars decide how the models are read: with other ones they are read again
        manifest = None if "--vars" in arguments else self.manifest()
        outcome = dbtRunner(manifest, callbacks).invoke(
            [*QUIET, command, "--target", self.target, *self._threads(), *arguments]
        )
        _check(outcome)
        return getattr(outcome.result, "results", None) or []

    def _threads(self) -> list[str]:
        # the server of a cluster has other cores than this machine
        return ["--threads", str(settings.threads())] if self.embedded else []

    def manifest(self) -> Any:
        """Return the project's manifest, parsed once."""
        if self._manifest is None:
            self._manifest = self._parsed()
        return self._manifest

    def read_again(self) -> None:
        """Read the project once more, after a change of its files."""
        self._manifest = parse(self.target)

    def current_files(self) -> dict[str, Path]:
        """Return the file of each model of a current table, by the model's name."""
        return {
            node.name: settings.REPO / node.original_file_path
            for node in self.manifest().nodes.values()
            if node.resource_type == "model" and node.config.materialized == CURRENT
        }

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the meta of each model of a current or history table, by its name.

        With `events`, the name of the events that it is made of, `state`, that of its state,
        `current`, that of the current model, its own or a history's, and `evolve`, the model's own
        or the project's.

        Raises:
            UserError: a history of a table that is not there, or a meta that lacks something.
        """
        models = [node for node in self.manifest().nodes.values() if node.resource_type == "model"]
        current = {node.name: node for node in models if node.config.materialized == CURRENT}
        for node in current.values():
            if missing := _missing(node.config.meta):
                raise UserError(
                    f"{node.original_file_path} does not say {missing!r} in its meta: write it"
                    " there as scripts/onboard.py does, or remove the file"
                )
            if (how := node.config.meta.get("evolve", ADD)) not in EVOLVE:
                raise UserError(f"{node.original_file_path} has {_no_evolve('evolve', how)}")
            try:
                re.compile(node.config.meta.get("shards") or "")
            except re.error as error:
                raise UserError(
                    f"{node.original_file_path} has 'shards' in its meta that is no regular"
                    f" expression which both Python and Spark read: {error}"
                ) from None
        evolve = _evolve_of_project()
        tables = {
            name: {
                "evolve": evolve,
                **node.config.meta,
                "events": _events_model(node),
                "state": node.alias,
                "current": name,
            }
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
    ) -> tuple[list[str], dict[str, int]]:
        """Return the tables that have events since they were last built, or were never built.

        With them, by table of events, the last batch of these events.

        Args:
            built: by table of events, the last batch that all its tables have seen.
            known: the tables that were there then; what others have seen is not known.
            without: tables of events whose tables are left out.
        """
        tables = {
            name: table for name, table in self.tables().items() if table["events"] not in without
        }
        names = sorted({table["events"] for table in tables.values()})
        if not names:
            return [], {}
        existing = self._states()
        rows = self.lake.sql(
            " union all ".join(
                f"select '{name}', max(parse_batch), feed, database_name, schema_name, table_name"
                f" from silver.{name}"
                f" where outcome = 'events' and parse_batch > {built.get(name, 0)} group by all"
                for name in names
            )
        ).collect()
        batches: dict[str, int] = {}
        for events, batch, *_ in rows:
            batches[events] = max(batch, batches.get(events, 0))
        seen = {tuple(place) for _, _, *place in rows}
        pending = sorted(
            name
            for name, table in tables.items()
            if name not in known
            or table["state"] not in existing
            or any(is_of_table(table, *place) for place in seen)
        )
        return pending, batches

    def has_large_table(self, states: Set[str]) -> bool:
        """Say whether one of some tables of the schema `state` has many rows."""
        counts = [
            f"select count(*) as rows from state.{sql_name(one)}" for one in states & self._states()
        ]
        if not counts:
            return False
        try:
            # Delta knows them without a scan
            largest = f"select max(rows) from ({' union all '.join(counts)})"
            return int(self.lake.sql(largest).collect()[0][0]) >= MANY_ROWS
        except (Py4JJavaError, PySparkException):
            # the model of a table that is damaged says so
            return False

    def _states(self) -> set[str]:
        if not self.lake.catalog.databaseExists("state"):
            return set()
        return {row.tableName for row in self.lake.sql("show tables in state").collect()}


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


def _evolve_of_project() -> str:
    # dbt shows a project's vars to its models alone.
    file = settings.REPO / "dbt_project.yml"
    variables: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8")).get("vars") or {}
    own: dict[str, Any] = variables.get("changelake") or {}
    how = own.get(EVOLVE_VARIABLE, variables.get(EVOLVE_VARIABLE, ADD))
    if how not in EVOLVE:
        raise UserError(f"{file} has {_no_evolve(EVOLVE_VARIABLE, how)}")
    return str(how)


def _no_evolve(name: str, how: Any) -> str:
    # YAML takes a bare `off` for false
    hint = ", in quotes" if isinstance(how, bool) else ""
    return f"{name!r} of {how!r}: write one of {', '.join(EVOLVE)}{hint}"


def _missing(meta: dict[str, Any]) -> str:
    """Return what a current model's meta lacks, empty if nothing."""
    needed = ("feeds", "shards" if "shards" in meta else "table")
    return next((name for name in needed if name not in meta), "")


def is_of_table(table: dict[str, Any], feed: str, *names: str | None) -> bool:
    """Say whether a model is made of a source table.

    Args:
        table: the model's meta.
        feed: the source table's feed.
        names: its database, its schema and its own name.
    """
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
