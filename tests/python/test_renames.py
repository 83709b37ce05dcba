"""A renamed column stays one column, in each dialect that sends the statement."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.console import Console

import contract_messages
from bronze_rows import AT, BronzeRow, Offsets, append_to_bronze
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.model_columns import declared, source_names
from changelake.onboarding.model_files import write_table
from changelake.onboarding.seen import look_at_alters, look_at_values, seen_tables

pytestmark = pytest.mark.thorough

# DMS sends the table's columns instead of a statement. debezium_avro is read by Debezium's parser,
# with schemas from a registry.
NO_STATEMENT = {"dms_json", "debezium_avro"}
FORMATS = [
    one
    for one in contract_messages.WRITERS
    if "ddl" not in contract_messages.LACKS.get(one, ()) and one not in NO_STATEMENT
]
# Avro encodes the length of a text, so the databases' names are as long as `shop`.
DATABASES = {one: f"db{number:02}" for number, one in enumerate(FORMATS)}
# Images of what has changed, or whole; types or none; JSON or Avro.
AT_RANDOM = {"canal": "rn01", "debezium": "rn02", "oceanbase_default": "rn03", "drs_avro": "rn04"}
FEEDS_OF_TABLES = {f"renames_{one}": one for one in FORMATS} | {
    f"random_renames_{one}": one for one in AT_RANDOM
}
BEFORE = {"id": "1", "name": "a", "none": None}
AFTER = {"id": "2", "label": "b", "none": None}
RENAME = "alter table `orders` rename column `name` to `label`"


def rows(
    offsets: Offsets, feed: str, database: str, change: str, before: Any, after: Any
) -> list[BronzeRow]:
    """Return a change in the dialect's messages."""
    values = [
        contract_messages.as_bytes(value)
        for _, value in contract_messages.WRITERS[FEEDS_OF_TABLES[feed]](change, before, after)
    ]
    return [
        offsets.row(feed, feed, 0, AT, bytes(value.replace(b"shop", database.encode())))
        for value in values
        if value
    ]


def build(spark: Any, names: list[str], folder: Path) -> None:
    """Build what is pending of these feeds; no model may fail."""
    feeds = [Feed(feed, FEEDS_OF_TABLES[feed], (feed,)) for feed in names]
    with (folder / "log").open("a") as log:
        built = build_pending(spark, "local", feeds, Console(file=log, width=300))
    assert [(one.name, one.message) for one in built.failed + built.failed_tests] == []


def onboard(spark: Any, models: Path, feeds: set[str]) -> None:
    """Write the models of these feeds' tables."""
    tables = [one for one in seen_tables(spark) if one.feed in feeds]
    look_at_values(spark, tables)
    look_at_alters(spark, tables)
    for table in tables:
        table.key = ["id"]
        write_table(table, models)


@pytest.fixture(scope="module")
def models(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The models after a run that has followed the statement."""
    ensure_bronze(spark)
    offsets = Offsets()
    models = project / "models" / "current" / "renames"

    def run(changes: list[tuple[str, Any]]) -> None:
        for format_id in FORMATS:
            feed, database = f"renames_{format_id}", DATABASES[format_id]
            new = [
                one
                for change, row in changes
                for one in rows(offsets, feed, database, change, None, row)
            ]
            append_to_bronze(spark, format_id, new)
        build(spark, [f"renames_{one}" for one in FORMATS], tmp_path_factory.mktemp("renames"))

    run([("insert", BEFORE)])
    onboard(spark, models, {f"renames_{one}" for one in FORMATS})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(contract_messages, "DDL", RENAME)
        patched.setattr(contract_messages, "ROW", AFTER)
        run([("ddl", None), ("insert", AFTER)])
    yield models
    for file in models.iterdir():
        file.unlink()


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_renamed_column_is_followed(spark: Any, models: Path, format_id: str) -> None:
    table = f"{DATABASES[format_id]}__orders"
    columns = declared(models / f"{table}.sql").get("columns", {})
    assert set(columns) == set(BEFORE)
    assert isinstance(columns["name"], dict)
    assert columns["name"].get("source") == ["label", "name"]
    found = spark.sql(f"select id, name from current.{table} order by id").collect()
    assert [(str(row.id), row.name) for row in found] == [("1", "a"), ("2", "b")]


class Source:
    """A table whose rows and columns change at random; no name is given to a second column.

    Attributes:
        columns: by number, which a column keeps, the name that it has now.
        known: by number, the name in the last row that was sent.
        rows: by key, the values by the number of the column.
        changes: what has happened since they were last taken: the arguments of a dialect's writer,
            the names of the row, and the statement.
    """

    def __init__(self, seed: int) -> None:
        self.columns: dict[int, str] = {}
        self.known: dict[int, str] = {}
        self.rows: dict[int, dict[int, str | None]] = {}
        self.changes: list[tuple[str, Any, Any, Any, str]] = []
        self._random = Random(seed)
        self._numbers, self._names = itertools.count(), (f"c{n}" for n in itertools.count(1))
        for _ in range(4):
            self._add()
        for _ in range(4):
            self._insert()

    def happen(self) -> None:
        """Let a few things happen."""
        kinds = [self._insert, self._update, self._update, self._delete, self._alter]
        for _ in range(self._random.randint(4, 14)):
            self._random.choice(kinds if self.rows else [self._insert])()

    def _add(self) -> str:
        number = next(self._numbers)
        self.columns[number] = next(self._names)
        return self.columns[number]

    def _values(self) -> dict[int, str | None]:
        return {one: self._random.choice(["a", "b", "xyz", "", None]) for one in self.columns}

    def _image(self, key: int) -> dict[str, Any]:
        self.known |= self.columns
        row = self.rows[key]
        return {"id": str(key), **{name: row.get(one) for one, name in self.columns.items()}}

    def _insert(self) -> None:
        key = self._random.choice([one for one in range(1, 60) if one not in self.rows])
        self.rows[key] = self._values()
        after = self._image(key)
        self.changes.append(("insert", None, after, after, ""))

    def _update(self) -> None:
        key = self._random.choice(list(self.rows))
        before = self._image(key)
        some = self._random.sample(list(self.columns), self._random.randint(1, len(self.columns)))
        self.rows[key] |= {one: value for one, value in self._values().items() if one in some}
        after = self._image(key)
        if before != after:
            self.changes.append(("update", before, after, after, ""))

    def _delete(self) -> None:
        key = self._random.choice(list(self.rows))
        before = self._image(key)
        self.changes.append(("delete", before, None, before, ""))
        del self.rows[key]

    def _alter(self) -> None:
        clauses: list[str] = []
        present = list(self.columns)
        if self._random.random() < 0.3:
            clauses.append(f"add column `{self._add()}` varchar(20)")
        if self._random.random() < 0.2 and len(present) > 3:
            dropped = present.pop(self._random.randrange(len(present)))
            clauses.append(f"drop column `{self.columns.pop(dropped)}`")
            for row in self.rows.values():
                row.pop(dropped, None)
        for one in self._random.sample(present, self._random.choice([1, 1, 2])):
            old, new = self.columns[one], next(self._names)
            rename = f"rename column `{old}` to `{new}`"
            clauses.append(self._random.choice([rename, f"change `{old}` `{new}` varchar(30)"]))
            self.columns[one] = new
        names = dict.fromkeys(("id", *self.columns.values()))
        self.changes.append(
            ("ddl", None, None, names, f"alter table `orders` {', '.join(clauses)}")
        )


def test_random_renames_between_random_changes(
    spark: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure_bronze(spark)
    offsets = Offsets()
    models = project / "models" / "current" / "random_renames"
    feeds = [f"random_renames_{one}" for one in AT_RANDOM]
    sources = {one: Source(seed) for seed, one in enumerate(AT_RANDOM)}

    def run() -> None:
        for format_id, source in sources.items():
            new: list[BronzeRow] = []
            for change, before, after, names, statement in source.changes:
                monkeypatch.setattr(contract_messages, "ROW", names)
                monkeypatch.setattr(contract_messages, "DDL", statement)
                feed, database = f"random_renames_{format_id}", AT_RANDOM[format_id]
                new += rows(offsets, feed, database, change, before, after)
            source.changes.clear()
            append_to_bronze(spark, format_id, new)
        build(spark, feeds, tmp_path)

    run()
    onboard(spark, models, set(feeds))
    for _ in range(4):
        for source in sources.values():
            source.happen()
        run()
        for format_id, source in sources.items():
            table = f"{AT_RANDOM[format_id]}__orders"
            columns = declared(models / f"{table}.sql").get("columns", {})
            # no column is there twice
            assert len(columns) - 1 <= len(source.known), (format_id, columns)
            column_of = {
                name: column
                for column, one in columns.items()
                for name in source_names(column, one)
            }
            # no row has been sent since the last of them came
            present = {
                one: column_of[source.known[one]] for one in source.columns if one in source.known
            }
            expected = {
                key: {column: row.get(one) for one, column in present.items()}
                for key, row in source.rows.items()
            }
            found = {
                int(row.id): {column: row[column] for column in present.values()}
                for row in spark.table(f"current.{table}").collect()
            }
            assert (format_id, found) == (format_id, expected)
    for file in models.iterdir():
        file.unlink()
