"""Collections of changing documents compared with a model in plain Python, over several builds.

Changes are written as DRS writes them, in the mongo shell's syntax, or as Debezium does; `$set` and
`$unset` take dotted paths and places in lists. After each build the current table must equal the
collection, and the history must have each document as every change left it.
"""

import datetime
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bronze_rows import append_to_bronze, bronze_row
from changelake.build.dbt import Build
from changelake.build.runner import build_pending
from changelake.core.feeds import Feed
from changelake.landing.bronze import ensure_bronze
from changelake.onboarding.model_files import write_history, write_table
from changelake.onboarding.shards import join_shards
from changelake.onboarding.tables import SourceColumn, SourceTable
from changelake.onboarding.values import Values
from compiled_text import compiled_text
from streams import SALT

pytestmark = pytest.mark.e2e

DATABASE, SHARDS = "docs", "docs__shards"
FEEDS_OF_TABLES = {f"documents_{one}": one for one in ("drs_mongo", "debezium_mongodb")}
FEEDS = [Feed(name, format_id, (name,)) for name, format_id in FEEDS_OF_TABLES.items()]
KINDS = {"_id": "int", "n": "long", "t": "string", "o": "object", "l": "array"}
NAMES = ("a", "b", "0", "键 \"'\\", "s")
SCALARS = (
    None, True, 0, -5, 2**31 - 1, 0.1, "", "5", "s", "null", "{", 'a"b\\c\n', "华 🙂",
    {"$oid": "65e1a0b2c3d4e5f607182901"}, {"$numberLong": "5"}, {"$date": "2026-03-01T08:00:00Z"},
)  # fmt: skip
CALLS = {"$oid": "ObjectId", "$numberLong": "NumberLong", "$date": "ISODate"}
Document = dict[str, Any]
# The fields of a document with unknown values.
UNKNOWN = object()


def shell(value: Any) -> str:
    """Return a value of Extended JSON in the mongo shell's syntax."""
    if isinstance(value, dict):
        for name, call in CALLS.items():
            if name in value:
                return f'{call}("{value[name]}")'
        return "{" + ", ".join(f"{json.dumps(k)}: {shell(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shell, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def patched(container: Any, path: list[str], value: Any, unset: bool) -> Any:
    """Return an object or list with a path set or unset; UNKNOWN if that changes nothing."""
    name, below = path[0], path[1:]
    if isinstance(container, list):
        if not name.isdigit():
            return UNKNOWN
        place = int(name)
        there = container[place] if place < len(container) else UNKNOWN
        if unset and not below:
            value = UNKNOWN if there is UNKNOWN else None
        elif below:
            value = patched(there, below, value, unset)
        if value is UNKNOWN:
            return UNKNOWN
        container = container + [None] * (place + 1 - len(container))
        return [*container[:place], value, *container[place + 1 :]]
    if not isinstance(container, dict) or next(iter(container), "").startswith("$"):
        if unset:
            return UNKNOWN
        container = {}
    if unset and not below:
        return {key: one for key, one in container.items() if key != name}
    if below:
        value = patched(container.get(name, UNKNOWN), below, value, unset)
    return UNKNOWN if value is UNKNOWN else {**container, name: value}


@dataclass
class Version:
    """A document from one change to the next; times are in milliseconds."""

    document: Document
    operation: str
    begin: int
    end: int | None = None


class Collection:
    """A collection, and the messages about its changes, each in any of several partitions.

    Attributes:
        masked: the columns that are hashed in its table.
        has_document: whether its table has a column with the whole document.
        lags: whether messages in other partitions than the first are landed one batch later.
        versions: the versions of each document, by key.
        messages: Kafka's keys and values.
        last: the last change's time, in milliseconds, and position.
    """

    dialect = "drs_mongo"
    masked: tuple[str, ...] = ()
    has_document = True

    def __init__(self, name: str, partitions: int = 1, lags: bool = False) -> None:
        self.name = name
        self.partitions = partitions
        self.lags = lags
        self.documents: dict[int, Document] = {}
        self.versions: dict[int, list[Version]] = {}
        self.messages: list[tuple[str | None, dict[str, Any]]] = []
        self.held: list[tuple[int, tuple[str | None, dict[str, Any]]]] = []
        self.last = (0, "")
        self.written = 0

    @property
    def model(self) -> str:
        """Return the name of the collection's table."""
        return SHARDS

    @property
    def in_table(self) -> str:
        """Return the condition that selects the collection's rows in the table."""
        return f"shard = '{DATABASE}.{self.name}'"

    def _next(self) -> tuple[int, int, int]:
        # Numbers of one and two digits within a second, which compare wrongly as texts.
        seconds, increment = divmod(len(self.messages), 25)
        second = 1_772_352_000 + seconds
        millis = second * 1000 + increment
        self.last = (millis, f"{second}:{increment + 1}")
        return second, increment + 1, millis

    def _say(self, op: str, kind: str, value: Document, where: Document | None = None) -> int:
        *_, millis = self._next()
        self.messages.append((None, {
            "op": op, "dbType": "MongoDB", "db": DATABASE, "coll": self.name, "value": shell(value),
            "where": where and shell(where), "recordType": kind, "es": millis,
            "ts": millis, "clusterTime": self.last[1],
        }))  # fmt: skip
        return millis

    def _say_put(self, document: Document, replaces: bool) -> int:
        where = {"_id": document["_id"]} if replaces else None
        op, kind = ("UPDATE", "replace") if replaces else ("INSERT", "insert")
        return self._say(op, kind, document, where)

    def _say_patch(
        self, key: int, sets: Document, unsets: tuple[str, ...], cuts: dict[str, int]
    ) -> int:
        assert not cuts
        value: Document = {"$set": sets} if sets else {}
        if unsets:
            value["$unset"] = dict.fromkeys(unsets, True)
        return self._say("UPDATE", "update", value, {"_id": key})

    def _say_delete(self, key: int) -> int:
        return self._say("DELETE", "doc", {"_id": key})

    def _begin(self, document: Document, operation: str, at: int) -> None:
        before = self.documents.get(document["_id"])
        if before is not None and json.dumps(before) == json.dumps(document):
            return  # It changes nothing, not even the order of the fields.
        self._end(document["_id"], at)
        self.documents[document["_id"]] = document
        self.versions.setdefault(document["_id"], []).append(Version(document, operation, at))

    def _end(self, key: int, at: int) -> None:
        for version in self.versions.get(key, [])[-1:]:
            version.end = version.end or at

    def put(self, document: Document, kind: str = "insert") -> None:
        """Insert a document, or replace the one with its key."""
        replaces = kind == "replace"
        at = self._say_put(document, replaces)
        self._begin(document, "update" if replaces else "insert", at)

    def patch(
        self,
        key: int,
        sets: Document,
        unsets: tuple[str, ...] = (),
        cuts: dict[str, int] | None = None,
    ) -> None:
        """Cut lists, set and unset paths of a document; expect nothing of one never seen whole."""
        at = self._say_patch(key, sets, unsets, cuts or {})
        if key in self.documents:
            document = self.documents[key]
            for path, size in (cuts or {}).items():
                document = {**document, path: document[path][:size]}
            for path, one in sets.items():
                document = _changed(document, path, one, False)
            for path in unsets:
                document = _changed(document, path, None, True)
            self._begin(document, "update", at)

    def delete(self, key: int) -> None:
        """Delete a document."""
        self._end(key, self._say_delete(key))
        del self.documents[key]

    def drop(self) -> None:
        """Drop the collection."""
        at = self._say("DDL", "command", {"drop": self.name})
        for key in self.documents:
            self._end(key, at)
        self.documents.clear()

    def new(self) -> list[tuple[str | None, dict[str, Any]]]:
        """Return the messages since the last call."""
        found, self.written = self.messages[self.written :], len(self.messages)
        return found


class DebeziumCollection(Collection):
    """A collection whose changes Debezium writes; it sends no drop."""

    dialect = "debezium_mongodb"
    masked = ("t",)

    @property
    def model(self) -> str:
        """Return the name of the collection's table, which it does not share."""
        return f"{DATABASE}__{self.name}"

    @property
    def in_table(self) -> str:
        """Return the condition that selects all rows."""
        return "true"

    def _envelope(self, key: int, op: str, **said: Any) -> int:
        second, increment, millis = self._next()
        source = {
            "connector": "mongodb", "name": "m", "ts_ms": second * 1000, "ord": increment,
            "wallTime": millis, "db": DATABASE, "collection": self.name,
        }  # fmt: skip
        value = {"op": op, "source": source, "ts_ms": millis, **said}
        self.messages.append((json.dumps({"id": str(key)}), value))
        return millis

    def _say_put(self, document: Document, replaces: bool) -> int:
        text = json.dumps(document, ensure_ascii=False)
        return self._envelope(document["_id"], "u" if replaces else "c", after=text)

    def _say_patch(
        self, key: int, sets: Document, unsets: tuple[str, ...], cuts: dict[str, int]
    ) -> int:
        description = {
            "updatedFields": json.dumps(sets, ensure_ascii=False), "removedFields": list(unsets),
            "truncatedArrays": [{"field": path, "size": size} for path, size in cuts.items()],
        }  # fmt: skip
        return self._envelope(key, "u", updateDescription=description)

    def _say_delete(self, key: int) -> int:
        return self._envelope(key, "d")


NEVER_WHOLE = Collection("never_whole")


class FieldsAlone(DebeziumCollection):
    """A collection whose table has columns for fields but none for the whole document."""

    masked = ()
    has_document = False


FIELDS_ALONE = FieldsAlone("fields_alone")


def _changed(document: Document, path: str, value: Any, unset: bool) -> Document:
    found = patched(document, path.split("."), value, unset)
    return document if found is UNKNOWN else found


def any_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.random()
    if depth < 3 and kind < 0.3:
        names = chance.sample(NAMES, chance.randint(0, 3))
        return {name: any_value(chance, depth + 1) for name in names}
    if depth < 3 and kind < 0.5:
        return [any_value(chance, depth + 1) for _ in range(chance.randint(0, 3))]
    return chance.choice(SCALARS)


def any_document(chance: random.Random, key: int) -> Document:
    document: Document = {"_id": key}
    if chance.random() < 0.8:
        document["n"] = {"$numberLong": str(chance.randint(-(2**63), 2**63 - 1))}
    if chance.random() < 0.8:
        document["t"] = chance.choice(["", "5", 'a"b', "华"])
    for name in ("o", "l", "undeclared"):
        if chance.random() < 0.7:
            document[name] = any_value(chance)
    return document


def any_change(chance: random.Random, collection: Collection) -> None:
    known = list(collection.documents)
    kind = chance.random()
    if not known or kind < 0.2:
        key = chance.randint(1, 30)
        collection.put(any_document(chance, key), "replace" if key in known else "insert")
    elif kind < 0.3:
        collection.delete(chance.choice(known))
    elif kind < 0.32 and collection.dialect == "drs_mongo":
        collection.drop()
    else:
        depths = [chance.choice([0, 1, 1, 2, 4]) for _ in range(chance.randint(1, 3))]
        paths = {".".join([chance.choice("ol"), *chance.choices(NAMES, k=k)]) for k in depths}
        sets = {path: any_value(chance) for path in paths if chance.random() < 0.7}
        if chance.random() < 0.3:
            sets["t"] = chance.choice(["", "new"])
        # The source refuses two paths if one is a prefix of the other.
        sets = {p: v for p, v in sets.items() if not any(q.startswith(f"{p}.") for q in paths)}
        unsets = tuple(
            path for path in paths - set(sets) if not any(q.startswith(f"{path}.") for q in paths)
        )
        key = chance.choice(known)
        cuts = {}
        # The source does not cut a list when it also sets another part of it.
        if collection.dialect == "debezium_mongodb" and not any(one[0] == "l" for one in paths):
            there = collection.documents[key].get("l")
            if isinstance(there, list) and there:
                cuts["l"] = chance.randrange(len(there))
        if sets or unsets or cuts:
            collection.patch(key, sets, unsets, cuts)


class Runner:
    """Lands and builds batches and reads the tables."""

    def __init__(self, spark: Any, project: Path, log: Path) -> None:
        self.spark = spark
        self.models = project / "models" / "current" / "documents"
        self.histories = project / "models" / "history" / "documents"
        self.console = Console(file=log.open("w"), width=300)
        self.offsets: Counter[tuple[str, int]] = Counter()
        self.chance = random.Random(3)

    def onboard(self, collections: list[Collection]) -> None:
        """Write the models of the collections; DRS's are shards of one table."""
        shards = [_table(one) for one in collections if one.dialect == "drs_mongo"]
        names = "|".join(one.table for one in shards)
        others = [_table(one) for one in collections if one.dialect != "drs_mongo"]
        for table in (join_shards(shards, SHARDS, rf"{DATABASE}\.({names})"), *others):
            write_table(table, self.models)
            write_history(table, self.histories)
        for collection in collections:
            model = self.models / f"{collection.model}.sql"
            for name in collection.masked:
                plain, masked = (
                    f"'{name}': 'string'",
                    f"'{name}': {{'type': 'string', 'mask': 'hash'}}",
                )
                assert plain in model.read_text()
                model.write_text(model.read_text().replace(plain, masked))
            if not collection.has_document:
                text = model.read_text()
                model.write_text(
                    "".join(one for one in text.splitlines(True) if "'_doc" not in one)
                )
                assert model.read_text() != text

    def build(self, *collections: Collection) -> None:
        """Land the collections' changes since the last time, and build."""
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        for feed, dialect in FEEDS_OF_TABLES.items():
            rows = []
            for collection in (one for one in collections if one.dialect == dialect):
                for partition, (key, message) in self._landing(collection):
                    value = json.dumps(message, ensure_ascii=False).encode()
                    offset = self.offsets[feed, partition]
                    rows.append(
                        bronze_row(
                            feed, feed, partition, offset, now, value, key.encode() if key else None
                        )
                    )
                    self.offsets[feed, partition] += 1
            append_to_bronze(self.spark, dialect, rows)
        built = build_pending(self.spark, "local", FEEDS, self.console)
        assert [node.message for node in built.failed + built.failed_tests] == []

    def _landing(
        self, collection: Collection
    ) -> list[tuple[int, tuple[str | None, dict[str, Any]]]]:
        new = [(self.chance.randrange(collection.partitions), one) for one in collection.new()]
        landing = collection.held + [one for one in new if not collection.lags or one[0] == 0]
        collection.held = [one for one in new if collection.lags and one[0] > 0]
        return landing

    def rows(
        self, collection: Collection, schema: str = "current", where: str = "true"
    ) -> dict[int, dict[str, Any]]:
        """Return the rows of the current table, or of one like it, by key."""
        table = f"{schema}.{collection.model}"
        found = self.spark.sql(
            f"select * from {table} where {where} and {collection.in_table}"
        ).collect()
        rows = {row["_id"]: row.asDict(recursive=True) for row in found}
        assert len(rows) == len(found)
        return rows

    def versions(self, collection: Collection) -> list[dict[str, Any]]:
        """Return the versions by key and time, with `begin` and `end` in milliseconds."""
        found = self.spark.sql(
            "select *, unix_millis(_valid_from) as begin, unix_millis(_valid_to) as end"
            f" from history.{collection.model} where {collection.in_table}"
            " order by _id, begin, _kafka_offset"
        ).collect()
        return [row.asDict(recursive=True) for row in found]

    def open_versions(self, collection: Collection) -> dict[int, dict[str, Any]]:
        """Return the open versions by key."""
        return self.rows(collection, "history", "_is_current")

    def as_of(self, collection: Collection, place: str) -> dict[int, dict[str, Any]]:
        """Return the documents from the macro as_of(), by key."""
        history = f"ref('{collection.model}__history')"
        compiled = compiled_text(
            f"select * from {{{{ as_of({history}, {place}) }}}} where {collection.in_table}"
        )
        return {row["_id"]: row.asDict() for row in self.spark.sql(compiled).collect()}


def _table(collection: Collection) -> SourceTable:
    columns = [
        SourceColumn(name, None, name == "_id", Values(count=1, kinds=(kind,)))
        for name, kind in {**KINDS, "_document": "document"}.items()
    ]
    feed, name = f"documents_{collection.dialect}", collection.name
    return SourceTable(feed, collection.dialect, "mongodb", DATABASE, None, name, columns, ["_id"])


@pytest.fixture(scope="module")
def runner(spark: Any, project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    ensure_bronze(spark)
    work = Runner(spark, project, tmp_path_factory.mktemp("documents") / "log")
    yield work
    for file in (*work.models.iterdir(), *work.histories.iterdir()):
        file.unlink()


def check(runner: Runner, collection: Collection) -> None:
    """Compare a table, and its open versions, with its collection."""
    for found in (runner.rows(collection), runner.open_versions(collection)):
        assert sorted(found) == sorted(collection.documents)
        for key, document in collection.documents.items():
            check_row(found[key], document, collection.masked)


def check_row(row: dict[str, Any], document: Document, masked: tuple[str, ...]) -> None:
    """Compare a row with its document: the whole document, and the fields with columns."""
    text = json.loads(row["_document"])
    # The order of the fields must be the same, too.
    assert json.dumps(text) == json.dumps(document)
    number = document.get("n", {}).get("$numberLong")
    assert row["n"] == (None if number is None else int(number))
    for name in ("t", "o", "l"):
        due = document.get(name)
        if name in masked and due is not None:
            assert row[name] == hashlib.sha256(f"{SALT}{due}".encode()).hexdigest()
        elif not isinstance(due, dict | list):
            due = str(due).lower() if isinstance(due, bool) else due
            assert row[name] == (due if due is None or isinstance(due, str) else str(due))
        else:
            assert json.loads(row[name]) == due
    assert row["_undecodable"] is None


def check_versions(runner: Runner, collection: Collection) -> None:
    """Compare a history with the versions of the documents."""
    found: dict[int, list[dict[str, Any]]] = {}
    for row in runner.versions(collection):
        before = found.setdefault(row["_id"], [])
        if before and row["_operation"] == "update" and _is_same(before[-1], row):
            before[-1]["end"] = row["end"]
        else:
            before.append(row)
    assert found.keys() == collection.versions.keys()
    for key, versions in collection.versions.items():
        assert [(one["_operation"], one["begin"], one["end"]) for one in found[key]] == [
            (one.operation, one.begin, one.end) for one in versions
        ]
        for row, version in zip(found[key], versions, strict=True):
            check_row(row, version.document, collection.masked)


def _is_same(version: dict[str, Any], following: dict[str, Any]) -> bool:
    # A patch that changes nothing, which MongoDB would not send, can rewrite a document.
    texts = [json.dumps(json.loads(one["_document"])) for one in (version, following)]
    return version["end"] == following["begin"] and texts[0] == texts[1]


@pytest.fixture(scope="module")
def never_whole(runner: Runner) -> list[dict[int, dict[str, Any]]]:
    """Return, after each batch, the rows of documents that were only ever patched."""
    return []


@pytest.fixture(scope="module")
def ends() -> list[tuple[Collection, tuple[int, str], dict[int, Document]]]:
    """Return collections as they were after a batch, with its end in time and position."""
    return []


@pytest.fixture(scope="module")
def collections(
    runner: Runner,
    never_whole: list[dict[int, dict[str, Any]]],
    ends: list[tuple[Collection, tuple[int, str], dict[int, Document]]],
) -> list[Collection]:
    """Collections that change at random, built batch by batch and compared after each."""
    parts, apart = Collection("parts"), Collection("apart", partitions=2)
    described = DebeziumCollection("described")
    # Its current table misses late patches until it is rebuilt.
    late = Collection("late", partitions=2, lags=True)
    changing = [parts, apart, described, late]
    chances = [random.Random(seed) for seed in (2, 4, 5, 6)]
    steps = never_whole_steps(NEVER_WHOLE)
    runner.onboard([*changing, NEVER_WHOLE, FIELDS_ALONE])
    for batch in range(3):
        for collection, chance in zip(changing, chances, strict=True):
            for _ in range((60, 300, 40)[batch]):
                any_change(chance, collection)
        for collection in (parts, described) if batch == 1 else ():
            ends.append((collection, collection.last, dict(collection.documents)))
            # A repeated range of messages changes nothing.
            collection.messages += collection.messages[-5:]
        late.lags = batch < 2
        next(steps)
        FIELDS_ALONE.put(
            {"_id": 1, "n": batch} if batch else {"_id": 1, "t": "x"},
            "replace" if batch else "insert",
        )
        runner.build(*changing, NEVER_WHOLE, FIELDS_ALONE)
        never_whole.append(runner.rows(NEVER_WHOLE))
        assert without_places(runner.open_versions(NEVER_WHOLE)) == without_places(never_whole[-1])
        for collection in (parts, apart, described):
            check(runner, collection)
    return changing


def never_whole_steps(some: Collection) -> Iterator[None]:
    """Change documents that were never seen whole, in three batches."""
    some.patch(1, {"t": "x", "o.a": 1})
    some.patch(2, {"o": {"a": 1}})
    some.patch(2, {"o.a": 2, "o.b": [1]})
    some.put({"_id": 3, "o": {"a": 1}, "t": "whole"})
    some.delete(3)
    some.put({"_id": 4, "t": "old", "l": [1, 2], "o": {}})
    yield
    some.patch(1, {"t": "y", "n": {"$numberLong": "5"}})
    some.patch(2, {"t": "z"}, ("o.a",))
    some.delete(4)
    some.patch(4, {"t": "x", "l.1": 7})
    yield
    some.put({"_id": 1, "t": "whole"}, "replace")
    some.patch(2, {}, ("n",))
    yield


def without_places(rows: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Return rows without the columns that say where they came from."""
    names = (*KINDS, "_document", "_undecodable")
    return {key: {name: row[name] for name in names} for key, row in rows.items()}


@pytest.mark.thorough
@pytest.mark.usefixtures("collections")
def test_a_field_that_a_document_has_lost_is_null(runner: Runner) -> None:
    (row,) = runner.rows(FIELDS_ALONE).values()
    assert (row["_id"], row["t"], row["n"], row["_undecodable"]) == (1, None, 2, None)
    versions = [(one["t"], one["n"]) for one in runner.versions(FIELDS_ALONE)]
    assert sorted(versions, key=str) == [("x", None), (None, 1), (None, 2)]


@pytest.mark.thorough
def test_versions_are_what_the_documents_were(
    runner: Runner, collections: list[Collection]
) -> None:
    for collection in collections:
        check_versions(runner, collection)


@pytest.mark.thorough
def test_collections_as_they_were(
    runner: Runner,
    collections: list[Collection],
    ends: list[tuple[Collection, tuple[int, str], dict[int, Document]]],
) -> None:
    assert collections
    for collection, (millis, position), documents in ends:
        places = [f'at="timestamp_millis({millis})"']
        # Shards share no positions.
        places += [f"position='{position}'"] if collection.dialect == "debezium_mongodb" else []
        for place in places:
            found = runner.as_of(collection, place)
            assert sorted(found) == sorted(documents)
            for key, document in documents.items():
                check_row(found[key], document, collection.masked)


@pytest.mark.thorough
def test_collections_built_anew_are_the_same(runner: Runner, collections: list[Collection]) -> None:
    build = Build(runner.spark, "local", lambda node: None)
    models = {one.model for one in collections}
    before = runner.rows(NEVER_WHOLE), runner.versions(NEVER_WHOLE)
    models |= {f"{model}__history" for model in models}
    assert not build.invoke("run", "--full-refresh", "--select", *models).failed
    for collection in collections:
        check(runner, collection)
        check_versions(runner, collection)
    assert (runner.rows(NEVER_WHOLE), runner.versions(NEVER_WHOLE)) == before


@pytest.mark.thorough
def test_versions_of_a_document_never_seen_whole(
    runner: Runner, collections: list[Collection]
) -> None:
    assert collections
    found = [
        (row["_id"], *(row[name] for name in ("t", "n", "o", "l", "_document", "_is_current")),
         "".join(sorted(name[:2] for name in row["_undecodable"] or ())))
        for row in runner.versions(NEVER_WHOLE)
    ]  # fmt: skip
    whole = '{"_id":1,"t":"whole"}'
    assert [(*row[:5], row[5] and "".join(row[5].split()), *row[6:]) for row in found] == [
        (1, "x", None, None, None, None, False, "_dlno"),
        (1, "y", 5, None, None, None, False, "_dlo"),
        (1, "whole", None, None, None, whole, True, ""),
        (2, None, None, '{"a":1}', None, None, False, "_dlnt"),
        (2, None, None, '{"a":2,"b":[1]}', None, None, False, "_dlnt"),
        (2, "z", None, '{"b":[1]}', None, None, False, "_dln"),
        (2, "z", None, '{"b":[1]}', None, None, True, "_dl"),
        (3, "whole", None, '{"a":1}', None, '{"_id":3,"o":{"a":1},"t":"whole"}', False, ""),
        (4, "old", None, "{}", "[1,2]", '{"_id":4,"t":"old","l":[1,2],"o":{}}', False, ""),
        (4, "x", None, None, None, None, True, "_dlno"),
    ]


@pytest.mark.thorough
def test_only_patched_fields_are_known_of_a_document_never_seen_whole(
    collections: list[Collection], never_whole: list[dict[int, dict[str, Any]]]
) -> None:
    assert collections
    first, second, third = never_whole
    assert sorted(first) == [1, 2, 4]
    assert (first[1]["t"], first[1]["o"], first[1]["_document"]) == ("x", None, None)
    assert first[1]["_undecodable"] == dict.fromkeys(("n", "o", "l", "_document"))
    assert json.loads(first[2]["o"]) == {"a": 2, "b": [1]}
    assert first[2]["_undecodable"] == dict.fromkeys(("n", "t", "l", "_document"))
    assert (first[4]["t"], first[4]["_undecodable"]) == ("old", None)

    assert (second[1]["t"], second[1]["n"], second[1]["_document"]) == ("y", 5, None)
    assert second[1]["_undecodable"] == dict.fromkeys(("o", "l", "_document"))
    # If a field once came whole, a part of it can change.
    assert (second[2]["t"], json.loads(second[2]["o"])) == ("z", {"b": [1]})
    assert second[2]["_undecodable"] == dict.fromkeys(("n", "l", "_document"))
    # Nothing is left of the previous document.
    assert second[4]["t"] == "x"
    assert [second[4][name] for name in ("n", "o", "l", "_document")] == [None] * 4
    assert second[4]["_undecodable"] == dict.fromkeys(("n", "o", "l", "_document"))

    assert (third[1]["t"], third[1]["n"], third[1]["_undecodable"]) == ("whole", None, None)
    assert third[2]["_undecodable"] == dict.fromkeys(("l", "_document"))
