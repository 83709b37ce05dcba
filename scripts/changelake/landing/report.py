"""Shows the progress of a landing: a live table, or plain lines in a log."""

import time
from contextlib import AbstractContextManager

from rich.live import Live
from rich.table import Table

from changelake.core.terminal import Terminal
from changelake.core.words import counted, size
from changelake.landing.plans import FeedResult

LINE_SECONDS = 5.0


def rate_text(result: FeedResult) -> str:
    """Return messages a second."""
    rate = result.messages / result.seconds if result.seconds > 0 else 0.0
    return f"{rate:,.0f}/s"


class LandingReport(AbstractContextManager["LandingReport"]):
    """The progress of a landing on the screen.

    Args:
        console: where to; by default standard output.
    """

    def __init__(self, console: Terminal | None = None) -> None:
        self.console = console or Terminal(soft_wrap=True)
        self._live: Live | None = None
        self._said_at = time.monotonic()
        self._said: dict[str, int] = {}

    def __exit__(self, *_: object) -> None:
        self._end_live()

    def update(self, results: list[FeedResult]) -> None:
        """Show how far each feed is."""
        if self.console.is_terminal:
            if self._live is None:
                self._live = Live(console=self.console, transient=True, refresh_per_second=4)
                self._live.start()
            self._live.update(self._table(results))
        elif time.monotonic() - self._said_at >= LINE_SECONDS:
            self._said_at = time.monotonic()
            for result in results:
                if result.messages != self._said.get(result.feed, 0):
                    self._said[result.feed] = result.messages
                    self.console.print(_line(result))

    def summary(self, results: list[FeedResult], stopped: bool = False) -> None:
        """Show what was landed in the end.

        Args:
            results: what was landed of each feed.
            stopped: a signal came; there may be more to land.
        """
        self._end_live()
        for result in results:
            if result.given_up:
                self.console.print(
                    f"{result.feed}: gave up {result.given_up}", highlight=False, markup=False
                )
            if result.remark:
                self.console.print(result.remark)
        landed = [result for result in results if result.messages]
        if not landed:
            if not any(result.error for result in results):
                self.console.print("stopped: nothing landed" if stopped else "nothing new to land")
        elif self.console.is_terminal:
            self.console.print(self._table(landed))
        else:
            for result in landed:
                self.console.print(_line(result))
        idle = sum(not result.messages and not result.error for result in results)
        if landed:
            messages = sum(result.messages for result in landed)
            amount = size(sum(result.bytes for result in landed))
            rest = f"; nothing new in {counted(idle, 'other')}" if idle else ""
            feeds = counted(len(landed), "feed")
            self.console.print(
                f"landed {counted(messages, 'message')} ({amount}) of {feeds}{rest}",
                highlight=False,
            )

    def _end_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    @staticmethod
    def _table(results: list[FeedResult]) -> Table:
        table = Table("feed", "format")
        for heading in ("messages", "bytes", "rate"):
            table.add_column(heading, justify="right", no_wrap=True)
        for result in results:
            table.add_row(
                result.feed,
                result.format,
                f"{result.messages:,}",
                size(result.bytes),
                rate_text(result),
            )
        return table


def _line(result: FeedResult) -> str:
    messages = counted(result.messages, "message")
    return f"{result.feed}: {messages}, {size(result.bytes)}, {rate_text(result)}"
