"""What a build did, and its report: a line per model as it finishes, and one at the end."""

import contextlib
import threading
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape

from changelake.build.marks import Recorded
from changelake.core.words import counted, listed

# dbt's kinds of them
TESTS = ("test", "unit_test")
GOOD = ("success", "pass")
BAD = ("error", "fail")
_NAMED = 5


@dataclass
class NodeResult:
    """The outcome of a dbt node.

    Attributes:
        name: the node's.
        kind: dbt's resource type.
        status: dbt's.
        message: dbt's, in one line.
        seconds: how long it took.
        tested: for a test, the names of the nodes that it tests.
    """

    name: str
    kind: str
    status: str
    message: str
    seconds: float
    tested: tuple[str, ...] = ()


@dataclass
class Rejected:
    """How many messages of a feed a build rejected, for one reason."""

    feed: str
    reason: str
    messages: int


@dataclass
class Unreadable:
    """A feed of which no message could be parsed yet.

    Attributes:
        reason: why most of those that a build rejected could not be.
    """

    feed: str
    format: str
    reason: str


@dataclass
class BuildResult:
    """What a build did.

    Attributes:
        asked: what a person has to decide since a source has changed a table, a line each.
        open: decisions of earlier runs that are still open, a line each.
        marks: for one call of Marks.write(): what was built, and what was asked because of it.
    """

    nodes: list[NodeResult] = field(default_factory=list[NodeResult])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    unreadable: list[Unreadable] = field(default_factory=list[Unreadable])
    asked: list[str] = field(default_factory=list[str])
    open: list[str] = field(default_factory=list[str])
    marks: Recorded = field(default_factory=Recorded)

    @property
    def failed(self) -> list[NodeResult]:
        """Return the nodes that failed, and those skipped because of them."""
        return [n for n in self.nodes if n.kind not in TESTS and n.status in ("error", "skipped")]

    @property
    def failed_tests(self) -> list[NodeResult]:
        """Return the tests that failed or could not run."""
        return [n for n in self.nodes if n.kind in TESTS and n.status in BAD]


class BuildReport:
    """Prints the outcome of each model, and which other nodes fail, as they finish.

    Args:
        console: where to.
        stop: set when the build is to end: what fails from then on fails because of that.
    """

    def __init__(self, console: Console, stop: threading.Event | None = None) -> None:
        self.nodes: list[NodeResult] = []
        self.has_begun = False
        self._console = console
        self._stop = stop or threading.Event()
        self._planned: list[str] | None = None
        self._before = 0
        self._unsaid: Set[str] = frozenset()
        self._warned: set[str] = set()

    def begin(self) -> None:
        """Note that there is something to build."""
        self.has_begun = True

    def leave_out(self, names: Set[str]) -> None:
        """Do not print these models unless they fail: they hold nothing of the user's."""
        self._unsaid = names

    def plan(self, names: Sequence[str]) -> None:
        """Note the models that remain to be built."""
        self._planned = list(names)
        # some may be built a second time
        self._before = len(self.nodes)

    def finished(self, node: NodeResult) -> None:
        """Print the outcome of a node. Called by dbt's threads."""
        is_good = node.status in GOOD
        if self._stop.is_set() and not is_good:
            return
        self.nodes.append(node)
        if node.kind != "model" and (is_good or node.status == "skipped"):
            return
        if is_good and node.name in self._unsaid:
            return
        line = escape(f"{node.status:8} {node.name}  {node.seconds:.1f} s")
        if node.status in BAD:
            line = f"[red]{line}[/]: {escape(node.message)}"
        # a build goes on if the reader of its lines goes away (`| head`)
        with contextlib.suppress(BrokenPipeError):
            self._console.print(f"  {line}", markup=True, soft_wrap=True)

    def warned(self, text: str) -> None:
        """Print a warning, once. Called by dbt's threads."""
        if text not in self._warned:
            self._warned.add(text)
            with contextlib.suppress(BrokenPipeError):
                self._console.print(
                    f"[yellow]warning[/]: {escape(text)}", markup=True, soft_wrap=True
                )

    def left(self) -> str:
        """Return what an interrupted build leaves to the next one."""
        if self._planned is None:
            return "events in silver, and the tables with pending changes"
        finished = {node.name for node in self.nodes[self._before :]}
        left = [name for name in self._planned if name not in finished]
        return listed(left, _NAMED) or "no model, some tests"


def outcome(nodes: Sequence[NodeResult]) -> str:
    """Return a line with the numbers of nodes that failed and that succeeded, failures first.

    >>> model = NodeResult("m", "model", "success", "", 1.0)
    >>> test = NodeResult("t", "unit_test", "fail", "", 1.0)
    >>> outcome([model, model, test])
    '1 test failed; 2 models built'
    """
    verbs = {"error": "failed", "fail": "failed", "skipped": "skipped", "warn": "with warnings"}
    bad: Counter[tuple[str, str]] = Counter()
    good: Counter[str] = Counter()
    for node in nodes:
        kind = "test" if node.kind in TESTS else node.kind
        if verb := verbs.get(node.status):
            bad[kind, verb] += 1
        # a hook of the project does not concern the reader while it works
        elif kind != "operation":
            good[kind] += 1

    # failed before skipped, models before tests
    order = sorted(bad, key=lambda one: (one[0] == "test", one[1]))
    worst = ", ".join(f"{counted(bad[one], one[0])} {one[1]}" for one in order)
    done = ", ".join(
        f"{counted(good[kind], kind)} {'passed' if kind == 'test' else 'built'}"
        for kind in sorted(good, key=lambda one: (one == "test", one != "model", one))
    )
    return "; ".join(part for part in (worst, done) if part) or "nothing built"
