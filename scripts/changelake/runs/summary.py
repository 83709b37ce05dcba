"""What a run of `run.py` did: for `--summary`, and for the record of its cost."""

from dataclasses import asdict, dataclass, field
from typing import Any

from changelake.build.report import NodeResult, Rejected
from changelake.landing.plans import FeedResult


@dataclass
class RunSummary:
    """What a run did.

    Attributes:
        landed: by feed; empty: nothing was to be landed.
        built: what became of each dbt node.
        rejected: the messages that were rejected.
        asked: what a person has to decide, a line each.
        seconds: how long each step took.
        exit_code: the run's.
        error: why it ended early.
    """

    landed: list[FeedResult] = field(default_factory=list[FeedResult])
    built: list[NodeResult] = field(default_factory=list[NodeResult])
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    asked: list[str] = field(default_factory=list[str])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    exit_code: int = 0
    error: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as `--summary` writes it: without an error where there is none."""
        found = asdict(self)
        if self.error is None:
            del found["error"]
        return found
