"""What `make demo` shows: changes on their way, a table per dialect, the rejects."""

import re

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from changelake.core import settings
from changelake.core.feeds import FORMATS
from changelake.core.macros import macro_names
from changelake.core.terminal import Terminal, visible
from changelake.onboarding.model_columns import declared
from changelake.query import rows
from changelake.query.sql import EmbeddedQueries

# The changes that are followed: the dialect, the message's offset, and the table.
FOLLOWED = (
    ("canal", 6, "canal_shop__customers"),
    ("debezium", 3, "dbz_shop__orders"),
)
HISTORY = "canal_shop__orders"
# what is not shown of a row
METADATA = ", ".join(("_undecodable", *macro_names("state/storage", "shown_metadata")))
# What a person reads at once, and no terminal has to wrap.
WIDTH = 100
CELL = 28
# between two columns
GAP = 3
LONGEST = 480


def _widest_tables() -> dict[str, str]:
    widest: dict[str, tuple[int, str]] = {}
    for model in (settings.REPO / "models" / "current" / "samples").glob("*.sql"):
        for format_id in re.findall(r"ref\('(\w+)_events'\)", model.read_text(encoding="utf-8")):
            columns = len(declared(model).get("columns", ()))
            widest[format_id] = max(widest.get(format_id, (0, "")), (columns, model.stem))
    return {one: widest[one][1] for one in FORMATS if one in widest}


# Of each dialect's samples the table with the most columns; `dbt build` has the others too. They
# are shown, but for those whose change is followed to its row.
TABLES = _widest_tables()
SHOWN = {*TABLES.values(), *(table for _, _, table in FOLLOWED), f"{HISTORY}__history"}


class Shown:
    """What the lake holds, on the console.

    Args:
        console: where to.
        lake: what is asked.
    """

    def __init__(self, console: Terminal, lake: EmbeddedQueries) -> None:
        self.console = console
        self.lake = lake

    def ask(self, statement: str) -> tuple[list[str], list[list[str | None]]]:
        """Return the columns of a statement and its rows, their values as texts."""
        names, lines = self.lake.run(statement)
        return names, [[rows.cell(value) for _, value in rows.parse(line)] for line in lines]

    def heading(self, text: str) -> None:
        """Print a heading."""
        self.console.print(f"\n[bold]{text}[/]", markup=True)

    def change(self, format_id: str, offset: int, table: str) -> None:
        """Print a message's value, the event that it gives, and the row that this leaves."""
        place = f"kafka_topic = 'demo.{format_id}' and kafka_offset = {offset}"
        _, [[value]] = self.ask(
            f"select cast(value as string) from bronze.{format_id} where {place}"
        )
        _, [event] = self.ask(
            "select operation, concat_ws('.', database_name, schema_name, table_name),"
            " to_json(key_columns), to_json(before, map('ignoreNullFields', 'false')),"
            " to_json(after, map('ignoreNullFields', 'false'))"
            f" from silver.change_events where {place}"
        )
        names, [row] = self.ask(
            f"select * except ({METADATA}) from current.{table}"
            f" where _{place.replace('and ', 'and _')}"
        )
        pairs = zip(names, (value or "null" for value in row), strict=True)
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row("the value", shortened(str(value)))
        labels = ("its event", "of", "key", "before", "after")
        for label, text in zip(labels, event, strict=True):
            grid.add_row(label, text)
        grid.add_row("its row", ", ".join(f"{name} = {value}" for name, value in pairs))
        self.heading(f"{format_id}: message {offset} of demo.{format_id}, now in current.{table}")
        self.console.print(grid)

    def table(self, statement: str) -> None:
        """Print rows with as many columns as fit, and what is long cut."""
        names, found = self.ask(statement)
        found = [[text and visible(text.replace("\n", "⏎")) for text in row] for row in found]
        left, table = self.console.width, Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        taken: list[int] = []
        for i, name in enumerate(names):
            texts = [name, *(row[i] or "null" for row in found)]
            width = min(max(map(cell_len, texts)), CELL, left)
            if width < min(cell_len(name), CELL):
                break
            left -= width + GAP
            taken.append(i)
            table.add_column(name, no_wrap=True, overflow="ellipsis", width=width)
        for row in found:
            table.add_row(*(_cell(row[i]) for i in taken))
        self.console.print(table)
        if rest := names[len(taken) :]:
            self.console.print(
                f"and {', '.join(rest)}", style="dim", no_wrap=True, overflow="ellipsis"
            )


def _cell(text: str | None) -> str | Text:
    return Text("null", style="dim") if text is None else text


def shortened(value: str) -> str:
    """Return a message without Debezium's schema part, and not longer than a few lines."""
    if (start := value.find('"payload"')) > 0:
        value = '{"schema": …, ' + value[start:]
    return value if len(value) <= LONGEST else value[:LONGEST] + "…"


def tables_to_show() -> dict[str, str]:
    """Return by dialect the tables of whose rows none has been shown with its change."""
    followed = {table for _, _, table in FOLLOWED}
    return {one: table for one, table in TABLES.items() if table not in followed}


def show(console: Terminal) -> None:
    """Print two changes, a table of each other dialect, the rejects, and what to do next."""
    shown = Shown(console, EmbeddedQueries("sample"))
    for change in FOLLOWED:
        shown.change(*change)
    for format_id, table in tables_to_show().items():
        shown.heading(f"current.{table} ({format_id})")
        shown.table(f"select * except ({METADATA}) from current.{table} order by 1")
    shown.heading(f"history.{HISTORY}: every version of each row")
    shown.table(
        "select id, status, _operation, cast(_valid_from as string) as _valid_from,"
        f" cast(_valid_to as string) as _valid_to, total from history.{HISTORY}"
        " order by id, _valid_from, _kafka_offset"
    )
    shown.heading("every message is accounted for (silver.message_counts)")
    outcomes = ("events", "tombstone", "control", "waiting", "rejected")
    counts = ", ".join(f"sum(if(outcome = '{one}', messages, 0)) as {one}" for one in outcomes)
    shown.table(
        f"select format, sum(messages) as messages, {counts} from silver.message_counts"
        " group by all order by all"
    )
    shown.heading("the rejected ones, with the reason (silver.rejected_messages)")
    shown.table(
        "select format, reject_reason, reject_detail, cast(value as string) as value"
        " from silver.rejected_messages order by all"
    )
    home = settings.home()
    if home.is_relative_to(settings.REPO):
        home = home.relative_to(settings.REPO)
    shown.heading("next")
    for text, command in (
        ("query this lake", f"CHANGELAKE_HOME={home} .venv/bin/python scripts/sql.py --target"
         ' sample "select * from silver.change_events"'),
        ("build all samples, and test them", ".venv/bin/dbt build"),
        ("read your own Kafka: name your feeds in seeds/feeds.csv, then",
         ".venv/bin/python scripts/run.py --bootstrap-servers HOST:PORT"),
    ):  # fmt: skip
        console.print(f"{text}:\n  {command}", soft_wrap=True)
