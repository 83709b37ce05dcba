"""What a run reports at its end: failures, rejects, open decisions."""

from rich.markup import escape

from changelake.build.report import BuildResult, outcome
from changelake.core.terminal import Terminal
from changelake.core.words import counted, listed
from changelake.landing.job import LandingError

_MAX_OPEN, _MAX_FAILED = 5, 20


def say_errors(not_landed: LandingError) -> None:
    """Print why feeds could not be landed, a line each.

    Args:
        not_landed: the error of these feeds.
    """
    console = Terminal(soft_wrap=True)
    for line in str(not_landed).split("\n"):
        console.print(f"[red]error[/]: {escape(line)}", markup=True)


def say_result(
    not_landed: LandingError | None, built: BuildResult, seconds: float, is_news: bool = True
) -> None:
    """Print what a run leaves a person to look at, and what it has built.

    Which nodes failed is repeated at the end of a long log; the reasons are further up.

    Args:
        not_landed: the error of the feeds that could not be landed, if there are some.
        built: what the build did.
        seconds: how long it took.
        is_news: the run before did not say this error of landing.
    """
    console = Terminal(soft_wrap=True)
    failed = [one for one in built.failed + built.failed_tests if one.status != "skipped"]
    if failed:
        named = listed([f"{one.kind} {one.name}" for one in failed], _MAX_FAILED)
        text = escape(f"{named}: the reasons are above")
        console.print(f"[red]failed[/] {text}", markup=True)
    if not_landed and built.nodes and is_news:
        say_errors(not_landed)
    for one in built.rejected:
        console.print(f"rejected {counted(one.messages, 'message')} of {one.feed}: {one.reason}")
    if built.rejected:
        console.print("the reasons and the messages are in silver.rejected_messages")
    for one in built.unreadable:
        console.print(
            f"no message of {one.feed} could be parsed yet, most of them for {one.reason}: if its"
            f" format is not {one.format}, replace its line in seeds/feeds.csv by one with the"
            " right format and another feed name"
        )
    for line in built.asked:
        console.print(f"[yellow]decide[/] {escape(line)}", markup=True)
    _say_open(built.open, console)
    failed_feeds = [one.feed for one in not_landed.results if one.error] if not_landed else []
    if built.nodes or (failed_feeds and is_news):
        text = f"{outcome(built.nodes)} in {seconds} s"
        if failed_feeds:
            text = f"not landed in full: {', '.join(failed_feeds)}; {text}"
        style = "red" if failed_feeds or built.failed or built.failed_tests else ""
        console.print(text, style=style)


def _say_open(lines: list[str], console: Terminal) -> None:
    # Decisions of earlier runs, which do not make a scheduled run fail again.
    if lines:
        is_open = "is" if len(lines) == 1 else "are"
        console.print(f"{counted(len(lines), 'decision')} {is_open} open since an earlier run:")
    for line in lines[:_MAX_OPEN]:
        console.print(f"  {line}")
    if len(lines) > _MAX_OPEN:
        console.print(f"  and {len(lines) - _MAX_OPEN} more")
