"""What in a lake needs a person's attention, a line each."""

from collections.abc import Iterator
from typing import Any

from changelake.core.words import counted, duration
from changelake.health.figures import RUN_DAYS, Figures, Rows

_MANY = 20


def attention(figures: Figures, late_seconds: float) -> list[str]:
    """Return what needs attention, the most urgent first.

    Args:
        figures: the lake's.
        late_seconds: a message that takes longer from its commit until a run parses it is late.
    """
    return [
        *_runs(figures, late_seconds),
        *_feeds(figures, late_seconds),
        *_rejects(figures),
        *(f"to decide: {one}" for one in figures.open),
        *(
            f"{one['model']}: {counted(one['columns'], 'column')} {one['kind'].replace('_', ' ')}:"
            f" {one['names']}"
            for one in figures.drift
            # either followed by the model, or listed as a decision
            if one["kind"] != "type_changed"
        ),
    ]


def _runs(figures: Figures, late_seconds: float) -> Iterator[str]:
    if not figures.last_run:
        # the sample lake is built by `dbt build`
        if figures.target != "sample":
            yield "no run of scripts/run.py is noted"
        return
    (last,) = figures.last_run
    age = last["ended_at_age"]
    if last["has_failed"]:
        yield f"the last run, {duration(age)} ago, ended with {last['exit_code']}: {_why(last)}"
    # the last of these is the last run
    failed: dict[int, Rows] = {}
    for one in figures.runs[:-1]:
        if one["has_failed"]:
            failed.setdefault(one["exit_code"], []).append(one)
    for code, those in sorted(failed.items()):
        runs = counted(sum(one["runs"] for one in those), "run")
        newest = those[-1]
        yield (
            f"{runs} of the last {RUN_DAYS} days ended with {code}, the latest"
            f" {duration(newest['ended_at_age'])} ago: {_why(newest)}"
        )
    if age > late_seconds:
        yield f"the last run ended {duration(age)} ago"


def _why(run: dict[str, Any]) -> str:
    return run["error"] or ", ".join(run["failed"][:_MANY])


def _feeds(figures: Figures, late_seconds: float) -> Iterator[str]:
    for one in figures.freshness:
        topic = one["kafka_topic"]
        if one["unparsed_messages"] and one["unparsed_since_age"] > late_seconds:
            yield (
                f"{one['feed']}, {topic}: {counted(one['unparsed_messages'], 'message')} landed,"
                f" the first {duration(one['unparsed_since_age'])} ago, and not parsed yet"
            )
        if topic is None:
            yield f"{one['feed']}: no message has come yet"
    for one in figures.lag:
        if one["step"] == "commit_to_parsed" and one["p99_seconds"] > late_seconds:
            yield (
                f"{one['feed']}, {one['kafka_topic']}: of the last 24 hours' messages one in a"
                f" hundred took {duration(one['p99_seconds'])} or longer from its commit"
                " (a backlog, as of a first landing, counts for a day)"
            )


def _rejects(figures: Figures) -> Iterator[str]:
    recent: dict[tuple[str, str], int] = {}
    for one in figures.rejects:
        if one["is_recent"]:
            key = one["feed"], one["reject_reason"]
            recent[key] = recent.get(key, 0) + one["messages"]
    for (feed, reason), messages in recent.items():
        yield f"{feed}: {counted(messages, 'message')} rejected since yesterday: {reason}"
