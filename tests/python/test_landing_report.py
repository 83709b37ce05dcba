"""The output of a landing, while it runs and at its end."""

import io
from types import SimpleNamespace
from typing import Any

import pytest

from changelake.core.terminal import Terminal
from changelake.landing import report as landing_report
from changelake.landing.job import LandingError
from changelake.landing.plans import FeedResult
from changelake.landing.queries import Running
from changelake.landing.report import LandingReport, rate_text

SHOP = FeedResult("shop", "canal", messages=1500, bytes=2_000_000, seconds=0.5)
IDLE = FeedResult("idle", "debezium")


def console(is_terminal: bool) -> Terminal:
    """Return a console that writes to a text buffer."""
    return Terminal(file=io.StringIO(), force_terminal=is_terminal, width=100)


def said(to: Terminal) -> str:
    """Return the text written to it."""
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


@pytest.mark.parametrize(("result", "rate"), [(SHOP, "3,000/s"), (IDLE, "0/s")])
def test_rates(result: FeedResult, rate: str) -> None:
    assert rate_text(result) == rate


def test_an_idle_trigger_hides_no_batch() -> None:
    def progress(batch: int, messages: int | None) -> dict[str, Any]:
        landed = {} if messages is None else {"landed": {"messages": messages, "bytes": 1}}
        return {"batchId": batch, "observedMetrics": landed, "durationMs": {}}

    query = SimpleNamespace(recentProgress=[], lastProgress=None)
    # These counts do not come from its plan.
    running = Running(None, query, FeedResult("shop", "canal"))  # pyright: ignore[reportArgumentType]
    # An idle trigger names the next batch; one batch comes while nobody is looking.
    for looked, one in ((True, (57, 10)), (True, (58, None)), (True, (58, 20)), (False, (59, 5)),
                        (True, (60, None)), (True, (60, 30)), (True, (60, 30))):  # fmt: skip
        query.lastProgress = progress(*one)
        query.recentProgress.append(query.lastProgress)
        if looked:
            running.count()
    assert running.result.messages == 65


def test_a_log_gets_a_line_of_each_feed_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landing_report, "LINE_SECONDS", 0.0)
    to = console(is_terminal=False)
    line = "shop: 1,500 messages, 2.0 MB, 3,000/s\n"
    with LandingReport(to) as report:
        report.update([SHOP, IDLE])
        report.update([SHOP, IDLE])
        assert said(to) == line
        report.summary([SHOP, IDLE])
    end = "landed 1,500 messages (2.0 MB) of 1 feed; nothing new in 1 other\n"
    assert said(to) == line + line + end


def test_a_log_gets_no_line_too_often() -> None:
    to = console(is_terminal=False)
    with LandingReport(to) as report:
        report.update([SHOP])
    assert said(to) == ""


def test_a_terminal_gets_a_table() -> None:
    to = console(is_terminal=True)
    with LandingReport(to) as report:
        report.update([SHOP, IDLE])
        report.summary([SHOP])
    for text in (
        "feed",
        "format",
        "messages",
        "bytes",
        "rate",
        "shop",
        "1,500",
        "2.0 MB",
        "3,000/s",
    ):
        assert text in said(to)


def test_says_that_there_is_nothing() -> None:
    to = console(is_terminal=False)
    LandingReport(to).summary([IDLE])
    assert said(to) == "nothing new to land\n"


def test_what_a_signal_ended_is_not_said_to_be_all() -> None:
    to = console(is_terminal=False)
    with LandingReport(to) as report:
        report.summary([IDLE], stopped=True)
    assert said(to) == "stopped: nothing landed\n"


def test_feeds_with_one_reason_share_a_line() -> None:
    reasons = {"shop": "it waits", "crm": "no: topic", "lab": "it waits"}
    results = [
        FeedResult(name, "canal", error=f"feed {name}: {text}") for name, text in reasons.items()
    ]
    assert str(LandingError([*results, IDLE])) == "feeds shop, lab: it waits\nfeed crm: no: topic"


def test_says_what_may_be_a_mistake() -> None:
    to = console(is_terminal=False)
    LandingReport(to).summary([FeedResult("crm", "canal", remark="feed crm: no topic [x] matches")])
    assert said(to) == "feed crm: no topic [x] matches\nnothing new to land\n"
