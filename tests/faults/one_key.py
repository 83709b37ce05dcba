#!/usr/bin/env python3
"""Builds a current table from very many partial changes of one key in one run: time and memory."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import use_venv  # noqa: F401, I001 - before anything that is not Python's own

import os
import tempfile
import time
from typing import Annotated, Any

import typer
from rich.console import Console

from changelake.core import settings
from changelake.landing.bronze import ensure_bronze
from changelake.build.runner import build_pending
from changelake.core.errors import UserError
from changelake.core.cli import one_line_errors
from changelake.core.feeds import Feed
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.dev.project import project_copy
from changelake.spark.session import spark_session

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
FORMAT, FEED, NAME = "oceanbase_shareplex", "big", "big__one"
# Twelve columns of a hundred characters: an image of 1.2 KB.
COLUMNS = [f"c{n}" for n in range(1, 13)]


def message(changed: str) -> str:
    """Return the SQL of an update message.

    Args:
        changed: the SQL of a number with which the columns' values begin.
    """
    values = "".join(f""","{one}":"', rpad({changed}, 100, '{one}'), '\"""" for one in COLUMNS)
    return f"""concat('{{"data":{{"n":', {changed}, '{values}}},
        "meta":{{"op":"upd","table":"big.one","scn":"', id + 10, '","time":"2026-03-01T08:00:00"}},
        "key":{{"id":1}}}}')"""


INSERT = """'{"data":{"id":1,"first":"kept"},
    "meta":{"op":"ins","table":"big.one","scn":"1","time":"2026-03-01T08:00:00"}}'"""


def append(spark: Any, value: str, first: int, last: int) -> None:
    """Append messages to bronze, one per offset from the first to the last."""
    spark.range(first, last + 1).selectExpr(
        f"'{FEED}' as feed", f"'{FEED}' as kafka_topic", "0 as kafka_partition",
        "id as kafka_offset", "current_timestamp() as kafka_timestamp",
        "cast(null as array<struct<key: string, value: binary>>) as headers",
        "cast(null as binary) as key", f"cast({value} as binary) as value",
        "current_timestamp() as landed_at", "current_date() as landed_date",
    ).write.format("delta").mode("append").save(settings.bronze(FORMAT))  # fmt: skip


def heap_gigabytes(spark: Any) -> float:
    """Return the peak heap usage since the last call."""
    beans = spark.sparkContext._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    peak = 0
    for bean in beans:
        if bean.getType().toString() == "Heap memory":
            peak += bean.getPeakUsage().getUsed()
            bean.resetPeakUsage()
    return peak / 1e9


@app.command()
@one_line_errors
def main(
    updates: Annotated[int, typer.Option(min=1, help="How many.")] = 2_000_000,
    history: Annotated[bool, typer.Option(help="Also into a history table.")] = False,
) -> None:
    """Write updates of one key to bronze, build, and print the time and memory that it took."""
    with tempfile.TemporaryDirectory() as place:
        os.environ[settings.HOME_VARIABLE] = f"{place}/lake"
        with project_copy(Path(place) / "project") as project:
            run(project, updates, history)


def run(project: Path, updates: int, history: bool) -> None:
    """Build in a copy of the project, see main()."""
    with (project / "seeds" / "feeds.csv").open("a") as feeds:
        feeds.write(f"{FEED},{FEED},,{FORMAT},\n")
    columns = [SourceColumn("id", "bigint", True)]
    columns += [SourceColumn(one, None, False) for one in ("first", "n", *COLUMNS)]
    table = SourceTable(FEED, FORMAT, "oceanbase", "big", None, "one", columns, ["id"])
    write_table(table, project / "models" / "current")
    if history:
        write_history(table, project / "models" / "history")
    spark = spark_session("changelake one key", "local", hive=True)
    console = Console(highlight=False)
    ensure_bronze(spark)

    def build(*models: str) -> None:
        heap_gigabytes(spark)
        begun = time.monotonic()
        built = build_pending(spark, "local", [Feed(FEED, FORMAT, (FEED,))], console, models)
        for node in built.failed + built.failed_tests:
            raise UserError(f"{node.name}: {node.message[:500]}")
        seconds = time.monotonic() - begun
        named = ", ".join(models) or "all"
        print(f"{named}: {seconds:.1f} s, {heap_gigabytes(spark):.2f} GB of heap", flush=True)

    append(spark, INSERT, 0, 0)
    build()
    append(spark, message("id"), 1, updates)
    build(f"{FORMAT}_events")
    build(NAME)
    if history:
        build(f"{NAME}__history")
    last = rf"rpad({updates}, 100, '{COLUMNS[-1]}')"
    row = f"string(id) = '1' and first = 'kept' and string(n) = '{updates}' and c12 = {last}"
    if [tuple(one) for one in spark.sql(f"select {row} from current.{NAME}").collect()] != [
        (True,)
    ]:
        raise UserError(f"{updates} updates of one key: the row is not that of the last one")
    print(f"{updates} updates of one key: equal")


if __name__ == "__main__":
    app()
