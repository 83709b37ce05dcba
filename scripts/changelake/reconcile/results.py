"""Outputs of a result: a table for people, a file with all differences, a row for monitoring."""

import json
from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table

from changelake.core.files import write_lines
from changelake.core.quoting import sql_string
from changelake.core.terminal import Terminal
from changelake.query.rows import csv_line
from changelake.reconcile.compare import DIFFERS, Difference, Result
from changelake.reconcile.model import Model
from changelake.reconcile.sources import Source
from changelake.reconcile.texts import NO_VALUE
from changelake.spark.derby import hold_catalog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# what the test is_reconciled() reads
RELATION = "monitoring.reconciliations"
# among how many differences columns are counted, where not all are shown
MAX_COUNTED = 10_000
_ADVICE = (
    f"{NO_VALUE}: no message of the row has held the column, for example if it was added after"
    " the row's last change. Where the source has null, nothing is lost; to get its other values,"
    " have the producer send these rows again (a new snapshot of the table)"
)
_COLUMNS = """
    relation string, at timestamp, source string, rows_here bigint, rows_there bigint,
    differing_rows bigint, undecided_rows bigint, not_compared map<string, string>
"""


def print_differences(
    result: Result, limit: int, console: Terminal, output: Path | None = None
) -> None:
    """Print the first differences as a table.

    Args:
        result: what was found.
        limit: how many at most.
        console: where to.
        output: the file that gets all of them.
    """
    table = Table("", "key", "column", "here", "source", box=SIMPLE_HEAD, show_edge=False)
    has_unknown, count, most = False, 0, max(MAX_COUNTED, limit + 1)
    by_column: Counter[str] = Counter()
    for count, one in enumerate(islice(result.differences(), most), 1):
        by_column[one.column or one.kind] += 1
        if count > limit:
            continue
        has_unknown |= one.here == NO_VALUE
        kind = one.kind if one.verdict == DIFFERS else f"{one.kind}, {one.verdict}"
        cells = (
            (_cell(one.here), _cell(one.there)) if one.column or one.here or one.there else ("", "")
        )
        table.add_row(kind, json.dumps(one.key, ensure_ascii=False), one.column or "", *cells)
    if count:
        console.print(table)
    if count > limit:
        rest = "--output FILE has all" if output is None else f"{output} has all"
        console.print(f"and more: {rest}, --limit {limit * 10} shows more", soft_wrap=True)
        of = f"the first {count:,}" if count == most else f"{count:,} differences"
        columns = ", ".join(f"{name} {times:,}" for name, times in by_column.most_common())
        console.print(f"{of}: {columns}", soft_wrap=True)
    if has_unknown:
        console.print(_ADVICE, soft_wrap=True)


def write_differences(differences: Iterable[Difference], file: Path) -> None:
    """Write all differences: as CSV if the name ends in .csv, else a JSON object per line."""
    if file.suffix.lower() != ".csv":
        write_lines(file, (f"{one.as_json()}\n" for one in differences))
        return
    lines = (
        csv_line([
            one.verdict, one.kind, json.dumps(one.key, ensure_ascii=False), one.column, one.here,
            one.there,
        ])
        for one in differences
    )  # fmt: skip
    header = csv_line(["verdict", "kind", "key", "column", "here", "there"])
    write_lines(file, (f"{one}\n" for one in chain([header], lines)))


def keep(spark: "SparkSession", model: Model, source: Source, result: Result) -> None:
    """Store a result in the monitoring table, replacing one of the same moment."""
    from pyspark.sql import functions as f

    row = (
        model.name, result.at.replace(tzinfo=None), source.name, result.rows_here,
        result.rows_there, result.differing, result.undecided, source.choice.left_out,
    )  # fmt: skip
    schema = _COLUMNS.replace(" at timestamp", " at timestamp_ntz")
    with hold_catalog(spark):
        schema_name = RELATION.partition(".")[0]
        spark.sql(f"create schema if not exists {schema_name}")
        spark.sql(f"create table if not exists {RELATION} ({_COLUMNS}) using delta")
        frame = spark.createDataFrame([row], schema)
        # the session's zone is UTC
        at = f"timestamp'{result.at:%Y-%m-%d %H:%M:%S.%f}'"
        # with two of one moment, the test could not tell which is newer
        earlier = f.expr(f"relation = {sql_string(model.name)} and at = {at}")
        frame.withColumn("at", f.col("at").cast("timestamp")).writeTo(RELATION).overwrite(earlier)


def _cell(text: str | None) -> str:
    return "null" if text is None else json.dumps(text, ensure_ascii=False)
