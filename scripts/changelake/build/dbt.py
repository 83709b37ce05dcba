"""dbt in this process, with one parsed project and one Spark session."""

import contextlib
import functools
import gc
import json
import os
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from changelake.build.idle import PROJECT, checksum_of
from changelake.build.messages import one_line
from changelake.build.report import TESTS, BuildResult, NodeResult
from changelake.core import settings, tuning
from changelake.core.errors import UserError
from changelake.core.terminal import say, waiting
from changelake.spark.sql_session import SqlSession

# Nothing on the console, and no manifest.json: writing it costs a second per command.
QUIET = ("--quiet", "--log-level", "none", "--no-use-colors", "--no-write-json")
# dbt lists exposures among what it has built
ONLY_BUILT = ("--exclude-resource-types", "exposure")
# the last parsed manifest, and what it was parsed from
_parsed: dict[str, Any] = {}


def parse(target: str) -> Any:
    """Return the project's manifest, cached until one of its files changes.

    Args:
        target: the profile's target.

    Raises:
        UserError: the project is broken.
    """
    # computed first: a file that changes while dbt reads is then read again
    asked = (settings.REPO, target, os.environ.get(settings.HOME_VARIABLE), checksum_of(*PROJECT))
    if _parsed.get("asked") != asked:
        _parsed.clear()
        manifest = _parse(target)
        _parsed.update(asked=asked, manifest=manifest)
    return _parsed["manifest"]


def _parse(target: str) -> Any:
    from dbt.cli.main import dbtRunner

    os.chdir(settings.REPO)
    with _no_collection():
        outcome = dbtRunner().invoke([*QUIET, "parse", "--target", target])
    _check(outcome)
    return outcome.result


@contextlib.contextmanager
def _no_collection() -> Generator[None]:
    # The objects of a parsed project stay alive: searching them for cycles takes half of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Parsing:
    """Parses the project in a thread of its own, while Java has other work.

    Args:
        target: the profile's target.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self._thread = ThreadPoolExecutor(1)
        self._begun: Future[Any] | None = None

    def begin(self) -> "Future[Any]":
        """Begin, unless it has begun already."""
        self._begun = self._begun or self._thread.submit(parse, self._target)
        return self._begun

    def wait(self) -> None:
        """Wait until it has ended, if it has begun."""
        if self._begun:
            wait([self._begun])

    def manifest(self) -> Any:
        """Return the project's manifest, parsed again if its files have changed since.

        Raises:
            UserError: the project is broken.
        """
        self.begin().result()
        return parse(self._target)


class Build:
    """A dbt project with its parsed manifest, in one process and, but on a cluster, one session.

    Args:
        lake: the session with the catalog; on a cluster the server's. None: nothing queries it.
        target: the profile's target.
        report: called with each finished node.
        parsed: called once, returns what parse() does for this target; None: that is parse().
        warn: called with each warning of the project's macros; None: they are ignored.
    """

    def __init__(
        self,
        lake: SqlSession | None,
        target: str,
        report: Callable[[NodeResult], None],
        parsed: Callable[[], Any] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self.lake: Any = lake
        self.target = target
        self._report, self._warn = report, warn
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
        finished = _Finished(self._report, self._warn)
        only = ONLY_BUILT if command == "build" else ()
        results = self._invoke([finished], command, *only, *arguments)
        nodes = [finished.said(one) for one in results]
        for node, one in zip(nodes, results, strict=True):
            if node.kind in TESTS:
                node.tested = tuple(each.split(".")[-1] for each in one.node.depends_on.nodes)
        return BuildResult(nodes)

    def operate(self, macro: str, arguments: dict[str, Any], doing: str = "") -> None:
        """Run a macro as a dbt operation, and print what it has printed.

        Args:
            macro: its name.
            arguments: what it is called with.
            doing: what a terminal shows meanwhile; empty: nothing.

        Raises:
            UserError: it failed, or dbt could not start.
        """
        printed: list[str] = []
        errors: list[str] = []

        def note(event: Any) -> None:
            if event.info.name == "PrintEvent":
                printed.append(event.info.msg)
            elif event.info.level == "error":
                errors.append(one_line(event.info.msg))

        try:
            with waiting(doing):
                results = self._invoke(
                    [note], "run-operation", macro, "--args", json.dumps(arguments)
                )
        finally:
            # only now: what a terminal shows meanwhile would take the lines to stderr
            for line in printed:
                say(line)
        if any(one.status == "error" for one in results):
            raise UserError(f"{macro}: {' '.join(errors)}")

    def _invoke(
        self, callbacks: list[Callable[[Any], None]], command: str, *arguments: str
    ) -> list[Any]:
        from dbt.cli.main import dbtRunner

        os.chdir(settings.REPO)
        # vars affect parsing: with other ones dbt has to parse again
        manifest = None if "--vars" in arguments else self.manifest()
        outcome = dbtRunner(manifest, callbacks).invoke(
            [*QUIET, command, "--target", self.target, *self._threads(), *arguments]
        )
        _check(outcome)
        return getattr(outcome.result, "results", None) or []

    def _threads(self) -> list[str]:
        # the cores of a cluster's server are not those of this machine
        return ["--threads", str(tuning.threads())] if self.embedded else []

    def manifest(self) -> Any:
        """Return the project's manifest, parsed once."""
        if self._manifest is None:
            self._manifest = self._parsed()
        return self._manifest

    def read_again(self) -> None:
        """Read the project once more, after a change of its files."""
        self._manifest = parse(self.target)


class _Finished:
    """Reports each node as it finishes, in the thread in which it does.

    Args:
        report: called once with each node.
        warn: called with each warning of a macro, or None.
    """

    def __init__(
        self, report: Callable[[NodeResult], None], warn: Callable[[str], None] | None
    ) -> None:
        self._report, self._warn = report, warn
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
            # dbt would wait forever for a thread that dies
            except BaseException as error:
                self._error = self._error or error
        elif event.info.name == "JinjaLogWarning" and self._warn:
            self._warn(one_line(event.info.msg))

    def said(self, one: Any) -> NodeResult:
        """Return one of dbt's results, and report it if no event did."""
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


def _check(outcome: Any) -> None:
    # dbt hands back Ctrl-C like an error of its own
    if isinstance(outcome.exception, KeyboardInterrupt):
        raise outcome.exception
    if outcome.exception is not None:
        raise UserError(f"dbt: {one_line(str(outcome.exception))}")
